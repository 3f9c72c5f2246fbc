import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { caseScore, caseStatus, mean, reaches, turnBadge } from '../../../src/core/scoring.ts';
import { buildTurnVerdict, buildVerdict } from '../../support/build.ts';

describe('reaches', () => {
  it('ignores rounding errors', () => {
    assert.equal(reaches(0.1 + 0.2, 0.3), true);
    assert.equal(reaches(0.7, 0.7000001), false);
  });
});

describe('mean', () => {
  it('is undefined for an empty list', () => assert.equal(mean([]), undefined));
});

describe('caseScore', () => {
  it('weights the scores of verdicts that passed or failed', () => {
    const score = caseScore([
      buildVerdict({ status: 'pass', score: 1, weight: 2 }),
      buildVerdict({ status: 'fail', score: 0.25, weight: 1 }),
    ]);
    assert.equal(score, 0.75);
  });

  it('excludes errored and skipped verdicts', () => {
    const score = caseScore([
      buildVerdict({ status: 'pass', score: 0.5 }),
      buildVerdict({ status: 'error', score: null }),
      buildVerdict({ status: 'skipped', score: null }),
    ]);
    assert.equal(score, 0.5);
  });

  it('is the lowest score with a weight if `min` is set', () => {
    const verdicts = [
      buildVerdict({ status: 'pass', score: 1, weight: 5 }),
      buildVerdict({ status: 'fail', score: 0.25 }),
      buildVerdict({ status: 'fail', score: 0, weight: 0 }),
      buildVerdict({ status: 'error', score: null }),
    ];
    assert.equal(caseScore(verdicts, 'min'), 0.25);
  });

  it('is null if there are no scores', () => {
    assert.equal(caseScore([buildVerdict({ status: 'skipped', score: null })]), null);
  });
});

describe('caseStatus', () => {
  const passed = buildVerdict({ status: 'pass', score: 1 });
  const failed = buildVerdict({ status: 'fail', score: 0 });
  const error = buildVerdict({ status: 'error', score: null });
  const skipped = buildVerdict({ status: 'skipped', score: null });
  const gate = buildVerdict({ status: 'fail', score: 0.9, required: true });

  it('requires every verdict to pass if there is no threshold', () => {
    assert.equal(caseStatus([passed, passed], undefined), 'pass');
    assert.equal(caseStatus([passed, failed], undefined), 'fail');
  });

  it('compares the weighted mean with the threshold', () => {
    assert.equal(caseStatus([passed, failed], 0.5), 'pass');
    assert.equal(caseStatus([passed, failed], 0.6), 'fail');
  });

  it('compares the lowest score with the threshold if `min` is set', () => {
    assert.equal(caseStatus([passed, failed], 0.5, 'min'), 'fail');
    assert.equal(caseStatus([passed, passed], 0.5, 'min'), 'pass');
  });

  it('fails if a required verdict failed, regardless of threshold and weights', () => {
    assert.equal(caseStatus([passed, passed, passed, passed, gate], 0.1), 'fail');
    const heavy = buildVerdict({ status: 'pass', score: 1, weight: 1000 });
    assert.equal(caseStatus([heavy, gate], 0), 'fail');
  });

  it("fails if a required verdict couldn't be judged", () => {
    const broken = buildVerdict({ status: 'error', score: null, required: true });
    assert.equal(caseStatus([passed, broken], 0), 'fail');
  });

  it('is an error if any verdict is, unless a required verdict failed', () => {
    assert.equal(caseStatus([passed, error], undefined), 'error');
    assert.equal(caseStatus([failed, error], 0), 'error');
    assert.equal(caseStatus([error, gate], undefined), 'fail');
  });

  it('never passes without scores', () => {
    assert.equal(caseStatus([], undefined), 'skipped');
    assert.equal(caseStatus([], 0), 'skipped');
    assert.equal(caseStatus([skipped, skipped], 0), 'skipped');
  });

  it('requires every verdict to pass if all weights are 0', () => {
    const light = buildVerdict({ status: 'fail', score: 0, weight: 0 });
    assert.equal(caseStatus([light], 0), 'fail');
  });
});

describe('turnBadge', () => {
  const says = (status: 'pass' | 'fail' | 'error' | 'skipped', score: number | null) =>
    buildVerdict({
      status,
      score,
      turns: [buildTurnVerdict(2, status, score)],
    });

  it('shows the worst verdict and the mean of the scores', () => {
    const badge = turnBadge([says('pass', 1), says('fail', 0), says('skipped', null)], 2);
    assert.equal(badge?.status, 'fail');
    assert.equal(badge?.score, 0.5);
    assert.equal(badge?.entries.length, 3);
  });

  it('is undefined for a turn without verdicts', () => {
    assert.equal(turnBadge([says('pass', 1)], 4), undefined);
  });

  it('shows no score if every entry was skipped', () => {
    assert.deepEqual(turnBadge([says('skipped', null)], 2)?.score, null);
  });
});
