import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Finding, NotApplicable, Outcome } from '../../../src/assertions/contract.ts';
import type { Status, TurnVerdict } from '../../../src/core/verdict.ts';
import { combineSamples } from '../../../src/judge/samples.ts';
import { buildTurnVerdict } from '../../support/build.ts';
import { FOUR, shownTurns } from '../../support/formulas.ts';
import { answer, buildAssertion, entry, fails, judge, judgeOne } from '../../support/judging.ts';
import { json } from '../../support/modelServer/steps.ts';

function turn(number: number, status: Status, score: number | null): TurnVerdict {
  return buildTurnVerdict(number, status, score, { rationale: `${number} ${status} ${score}` });
}

function scored(score: number, rest: Partial<Finding> = {}): Finding {
  const words = { rationale: `scored ${score}`, hits: [], misses: [], details: {} };
  return { kind: 'scored', score, turns: [], ...words, ...rest };
}

const SKIPPED: NotApplicable = {
  kind: 'skipped',
  reason: 'no-facts',
  rationale: 'none',
  turns: [],
};

function combine(outcomes: readonly Outcome[], threshold = 0.5) {
  const { outcome, ...rest } = combineSamples(outcomes, threshold);
  return { ...rest, outcome, finding: outcome.kind === 'scored' ? outcome : undefined };
}

describe('samples are combined by median, majority, and spread', () => {
  const medians: [string, number[], number, number][] = [
    ['an odd number: the middle one', [0.2, 1, 0.6], 0.6, 0.8],
    ['an even number: the mean of the middle two', [0, 0.4, 0.6, 1], 0.5, 1],
    ['with an outlier', [0.8, 0.8, 0.8, 0.8, 0], 0.8, 0.8],
    ['all the same', [0.7, 0.7, 0.7], 0.7, 0],
  ];
  for (const [name, scores, score, spread] of medians) {
    it(`${name}: ${scores.join(', ')} → ${score}`, () => {
      const found = combine(scores.map((one) => scored(one)));
      assert.equal(found.finding?.score, score);
      assert.equal(found.spread, spread);
      assert.equal(found.samples, scores.length);
    });
  }

  it('one sample stays as it is', () => {
    const only = scored(0.3, { label: 'no' });
    assert.deepEqual(combineSamples([only], 0.5), {
      outcome: only,
      samples: 1,
      spread: null,
      unstable: false,
    });
  });

  it("the majority's label counts, or in a tie the label of the sample nearest to the median", () => {
    const label = (...given: [number, string][]) =>
      combine(given.map(([score, one]) => scored(score, { label: one }))).finding?.label;
    assert.equal(label([1, 'yes'], [0.9, 'no'], [0.8, 'no']), 'no');
    assert.equal(label([1, 'none'], [0.5, 'resolved'], [0, 'unresolved']), 'resolved');
    // 0.5 doesn't pass with threshold 1, so the label must not be that of the passing sample.
    const { outcome } = combineSamples(
      [scored(1, { label: 'yes' }), scored(0, { label: 'no' })],
      1,
    );
    assert.equal(outcome.kind === 'scored' && outcome.label, 'no');
  });

  it('numeric values are combined by median, text values by majority', () => {
    const value = (...given: (number | string)[]) =>
      combine(given.map((one) => scored(0.5, { value: one }))).finding?.value;
    assert.equal(value(4, 2, 5), 4);
    assert.equal(value('a', 'b', 'b'), 'b');
  });

  it('texts are from the sample nearest to the median, and the details have every score', () => {
    const { finding } = combine([scored(0.1, { label: 'x' }), scored(0.6), scored(0.5)]);
    assert.equal(finding?.rationale, 'scored 0.5');
    assert.deepEqual(finding?.details.samples, [
      { score: 0.1, label: 'x' },
      { score: 0.6, label: null },
      { score: 0.5, label: null },
    ]);
  });

  it('texts are from the sample that most others agree with, if several are equally near', () => {
    const sample = (rationale: string, two: Status, four: Status) =>
      scored(0.5, { rationale, turns: [turn(2, two, 0.5), turn(4, four, 0.5)] });
    const { finding } = combine([
      sample('odd', 'fail', 'pass'),
      sample('even', 'pass', 'fail'),
      sample('even', 'pass', 'fail'),
    ]);
    assert.equal(finding?.rationale, 'even');
  });

  it("each turn has the majority's status with its texts, and the median score", () => {
    const { finding } = combine([
      scored(0.5, { turns: [turn(2, 'pass', 1), turn(4, 'skipped', null)] }),
      scored(0.6, { turns: [turn(2, 'fail', 0), turn(4, 'fail', 0)] }),
      scored(0.4, { turns: [turn(2, 'fail', 0.2), turn(4, 'skipped', null)] }),
    ]);
    assert.deepEqual(finding?.turns, [
      { ...turn(2, 'fail', 0), score: 0.2 },
      turn(4, 'skipped', null),
    ]);
  });

  it("score, status, and spread don't depend on the order of the samples", () => {
    const some = [scored(0.2), scored(0.9), SKIPPED, scored(0.6)];
    const one = combine(some);
    const other = combine([...some].reverse());
    assert.equal(one.finding?.score, other.finding?.score);
    assert.deepEqual([one.spread, one.unstable], [other.spread, other.unstable]);
  });
});

describe('samples are unstable if they disagree', () => {
  const rows: [string, Outcome[], boolean][] = [
    ['all pass', [scored(1), scored(0.5), scored(0.7)], false],
    ['all fail', [scored(0), scored(0.4), scored(0.1)], false],
    ['one fails', [scored(1), scored(0.9), scored(0.4)], true],
    ['one was skipped', [scored(1), scored(1), SKIPPED], true],
    ['most were skipped', [scored(1), SKIPPED, SKIPPED], true],
    ['all were skipped', [SKIPPED, SKIPPED], false],
  ];
  for (const [name, outcomes, unstable] of rows) {
    it(`${name}: ${unstable}`, () => assert.equal(combine(outcomes).unstable, unstable));
  }

  it('the verdict is skipped, without a spread, if most are skipped', () => {
    const { outcome, spread } = combine([scored(1), SKIPPED, SKIPPED]);
    assert.deepEqual([outcome, spread], [SKIPPED, null]);
  });

  it('the scored ones count if half are skipped', () => {
    assert.equal(combine([scored(0.8), SKIPPED]).finding?.score, 0.8);
  });
});

describe('samples are requested', () => {
  const SAMPLED = buildAssertion('turn-relevancy', {}, { samples: 3 });
  const said = (...bad: number[]) =>
    answer(...[2, 4, 6, 8].map((turn) => (bad.includes(turn) ? fails(turn) : entry(turn))));
  const THREE = [said(), said(2, 4, 6), said(2, 4)];
  const ABOUT = { conversation: FOUR };

  it('in one request if the endpoint returns several answers', async (t) => {
    const verdict = await judgeOne(t, SAMPLED, THREE, { ...ABOUT, endpoint: { several: true } });
    assert.deepEqual(
      verdict.requests.map(({ body }) => body.n),
      [3],
    );
    assert.deepEqual([verdict.status, verdict.score, verdict.usage.calls], ['pass', 0.5, 1]);
    const { samples, spread, unstable } = verdict.judge ?? {};
    assert.deepEqual([samples, spread, unstable], [3, 0.75, true]);
    assert.deepEqual(shownTurns(verdict), ['2 fail 0', '4 fail 0', '6 pass 1', '8 pass 1']);
  });

  it('one by one if the endpoint ignores `n`', async (t) => {
    const verdict = await judgeOne(t, SAMPLED, THREE, ABOUT);
    assert.equal(verdict.requests.length, 3);
    assert.deepEqual([verdict.score, verdict.usage.calls, verdict.judge?.samples], [0.5, 3, 3]);
  });

  it('one by one if the endpoint refuses `n`, which is then not sent again', async (t) => {
    const about = { ...ABOUT, endpoint: { rejects: ['n' as const] } };
    const verdict = await judgeOne(t, SAMPLED, THREE, about);
    assert.deepEqual(
      verdict.requests.map(({ body }) => body.n),
      [3, undefined, undefined, undefined],
    );
    assert.deepEqual([verdict.score, verdict.usage.calls], [0.5, 3]);
  });

  it('and additional answers of the endpoint are ignored', async (t) => {
    const two = { ...SAMPLED, samples: 2 };
    const { verdicts } = await judge(t, () => json(said()), [two, { ...SAMPLED, index: 1 }], {
      ...ABOUT,
      endpoint: { several: true },
    });
    assert.deepEqual(
      verdicts.map(({ judge: by }) => by?.samples),
      [2, 3],
    );
  });

  it('and each bad one gets its own repair request', async (t) => {
    const steps = [said(), 'no JSON', said(), said(2, 4)];
    const verdict = await judgeOne(t, SAMPLED, steps, { ...ABOUT, endpoint: { several: true } });
    assert.deepEqual([verdict.score, verdict.usage.calls, verdict.judge?.samples], [1, 2, 3]);
    assert.equal(verdict.requests[1]?.body.n, undefined);
  });

  it("and a bad one that isn't repaired is an error, because the median needs all of them", async (t) => {
    const steps = [said(), 'no JSON', said(), 'no JSON'];
    const verdict = await judgeOne(t, SAMPLED, steps, { ...ABOUT, endpoint: { several: true } });
    assert.deepEqual([verdict.status, verdict.reason], ['error', 'malformed-json']);
  });

  it('for plain criteria in one request', async (t) => {
    const criterion = (text: string) =>
      buildAssertion('criterion', { criterion: text }, { samples: 3 });
    const one = (number: number, outcome: string) => ({
      criterion: number,
      outcome,
      turns: said().turns,
      rationale: '',
    });
    const list = (first: string) =>
      json({ criteria: [one(1, first), one(2, 'met')], rationale: '' });
    const { verdicts, server } = await judge(
      t,
      [list('met'), list('not-met'), list('not-met')],
      [criterion('a'), criterion('b')],
      { ...ABOUT, endpoint: { several: true } },
    );
    assert.equal(server.requests.length, 1);
    assert.deepEqual(
      verdicts.map(({ status, judge: by }) => [status, by?.unstable ?? false]),
      [
        ['fail', true],
        ['pass', false],
      ],
    );
  });

  it('for procedures by running them again', async (t) => {
    const graded = buildAssertion('g-eval', { criteria: 'c', steps: ['s'] }, { samples: 3 });
    const scores = [9, 2, 7].map((score) => ({ ...said(), score }));
    const verdict = await judgeOne(t, graded, scores, ABOUT);
    assert.deepEqual([verdict.value, verdict.score, verdict.usage.calls], [7, 0.7, 3]);
    assert.equal(verdict.judge?.unstable, true);
  });

  it('only from judges', async (t) => {
    const retrieval = buildAssertion('turn-faithfulness', {}, { samples: 3 });
    const verdict = await judgeOne(t, retrieval, [], ABOUT);
    assert.deepEqual([verdict.status, verdict.usage.calls], ['skipped', 0]);
  });
});
