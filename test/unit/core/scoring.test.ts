import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { caseScore, caseStatus, mean, reaches, turnBadge } from '../../../src/core/scoring.ts';
import { buildTurnVerdict, buildVerdict } from '../../support/build.ts';

describe('reaches', () => {
  it('is not fooled by floating point', () => {
    assert.equal(reaches(0.1 + 0.2, 0.3), true);
    assert.equal(reaches(0.7, 0.7000001), false);
  });
});

describe('mean', () => {
  it('has no value of nothing', () => assert.equal(mean([]), undefined));
});

describe('caseScore', () => {
  it('weighs the scores of what passed or failed', () => {
    const score = caseScore([
      buildVerdict({ status: 'pass', score: 1, weight: 2 }),
      buildVerdict({ status: 'fail', score: 0.25, weight: 1 }),
    ]);
    assert.equal(score, 0.75);
  });

  it('leaves errors and skips out of the mean', () => {
    const score = caseScore([
      buildVerdict({ status: 'pass', score: 0.5 }),
      buildVerdict({ status: 'error', score: null }),
      buildVerdict({ status: 'skipped', score: null }),
    ]);
    assert.equal(score, 0.5);
  });

  it('is the lowest of what has weight with `min`', () => {
    const verdicts = [
      buildVerdict({ status: 'pass', score: 1, weight: 5 }),
      buildVerdict({ status: 'fail', score: 0.25 }),
      buildVerdict({ status: 'fail', score: 0, weight: 0 }),
      buildVerdict({ status: 'error', score: null }),
    ];
    assert.equal(caseScore(verdicts, 'min'), 0.25);
  });

  it('is null where nothing was scored', () => {
    assert.equal(caseScore([buildVerdict({ status: 'skipped', score: null })]), null);
  });
});

describe('caseStatus', () => {
  const passed = buildVerdict({ status: 'pass', score: 1 });
  const failed = buildVerdict({ status: 'fail', score: 0 });
  const error = buildVerdict({ status: 'error', score: null });
  const skipped = buildVerdict({ status: 'skipped', score: null });
  const gate = buildVerdict({ status: 'fail', score: 0.9, required: true });

  it('needs every verdict to pass without a threshold', () => {
    assert.equal(caseStatus([passed, passed], undefined), 'pass');
    assert.equal(caseStatus([passed, failed], undefined), 'fail');
  });

  it('compares the weighted mean with the threshold', () => {
    assert.equal(caseStatus([passed, failed], 0.5), 'pass');
    assert.equal(caseStatus([passed, failed], 0.6), 'fail');
  });

  it('compares the lowest score with the threshold with `min`', () => {
    assert.equal(caseStatus([passed, failed], 0.5, 'min'), 'fail');
    assert.equal(caseStatus([passed, passed], 0.5, 'min'), 'pass');
  });

  it('fails when a required verdict fails, whatever threshold and weights say', () => {
    assert.equal(caseStatus([passed, passed, passed, passed, gate], 0.1), 'fail');
    const heavy = buildVerdict({ status: 'pass', score: 1, weight: 1000 });
    assert.equal(caseStatus([heavy, gate], 0), 'fail');
  });

  it('fails when a required verdict could not be judged', () => {
    const broken = buildVerdict({ status: 'error', score: null, required: true });
    assert.equal(caseStatus([passed, broken], 0), 'fail');
  });

  it('is an error when any verdict is, but for a failed gate', () => {
    assert.equal(caseStatus([passed, error], undefined), 'error');
    assert.equal(caseStatus([failed, error], 0), 'error');
    assert.equal(caseStatus([error, gate], undefined), 'fail');
  });

  it('never passes where nothing was checked', () => {
    assert.equal(caseStatus([], undefined), 'skipped');
    assert.equal(caseStatus([], 0), 'skipped');
    assert.equal(caseStatus([skipped, skipped], 0), 'skipped');
  });

  it('lets verdicts of weight 0 speak where nothing else does', () => {
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

  it('has no badge for a turn that no assertion spoke about', () => {
    assert.equal(turnBadge([says('pass', 1)], 4), undefined);
  });

  it('shows no score where every entry was skipped', () => {
    assert.deepEqual(turnBadge([says('skipped', null)], 2)?.score, null);
  });
});
