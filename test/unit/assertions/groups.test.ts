import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { caseStatus } from '../../../src/core/scoring.ts';
import type { Assertion } from '../../../src/core/suite.ts';
import type { Verdict } from '../../../src/core/verdict.ts';
import { assertRow, FOUR, shownTurns } from '../../support/formulas.ts';
import {
  answer,
  away,
  buildAssertion,
  entry,
  fails,
  judge,
  judgeOne,
} from '../../support/judging.ts';
import { json } from '../../support/modelServer/steps.ts';

const ABOUT = { conversation: FOUR };

type Rest = Partial<Assertion>;

const passing = (rest: Rest = {}) =>
  buildAssertion('contains', { value: 'Answer 1' }, { name: 'P', ...rest });
const failing = (rest: Rest = {}) =>
  buildAssertion('contains', { value: 'nowhere' }, { name: 'F', ...rest });
/** No turn of FOUR has retrieved context. */
const skipped = (rest: Rest = {}) =>
  buildAssertion('turn-faithfulness', {}, { name: 'S', ...rest });
const broken = (rest: Rest = {}) =>
  buildAssertion(
    'contains',
    { value: 'x' },
    { name: 'E', at: { kind: 'turns', turns: [99] }, ...rest },
  );

function group(type: string, nested: readonly Assertion[], rest: Rest = {}) {
  return buildAssertion(
    type,
    { assert: nested.map(() => null) },
    {
      nested: nested.map((assertion, index) => ({ path: `assert.${index}`, assertion })),
      ...rest,
    },
  );
}

const allOf = (nested: readonly Assertion[], rest: Rest = {}) => group('all-of', nested, rest);
const anyOf = (nested: readonly Assertion[], rest: Rest = {}) => group('any-of', nested, rest);

interface Row {
  readonly name: string;
  readonly assertion: Assertion;
  readonly score: number | null;
  readonly status: Verdict['status'];
  readonly required?: boolean;
}

const NOT = { negate: true };

const rows: readonly Row[] = [
  { name: 'all pass', assertion: allOf([passing(), passing()]), score: 1, status: 'pass' },
  {
    name: 'one of two fails',
    assertion: allOf([passing(), failing()]),
    score: 0.5,
    status: 'fail',
  },
  {
    name: 'Σ weight of those that pass ÷ Σ weight',
    assertion: allOf([passing(), passing(), failing({ weight: 2 })]),
    score: 0.5,
    status: 'fail',
  },
  {
    name: 'a lower threshold lets it pass',
    assertion: allOf([passing({ weight: 3 }), failing()], { threshold: 0.75 }),
    score: 0.75,
    status: 'pass',
  },
  {
    name: 'weights of 0 alone: each counts the same',
    assertion: allOf([passing({ weight: 0 }), failing({ weight: 0 })]),
    score: 0.5,
    status: 'fail',
  },
  {
    name: 'a skipped one does not count',
    assertion: allOf([passing(), skipped({ weight: 9 })]),
    score: 1,
    status: 'pass',
  },
  {
    name: 'all skipped: skipped',
    assertion: allOf([skipped(), skipped()]),
    score: null,
    status: 'skipped',
  },
  {
    name: 'one not judged: error, never pass',
    assertion: allOf([passing(), broken()]),
    score: null,
    status: 'error',
  },
  {
    name: 'a required one fails: 0, and it gates',
    assertion: allOf([passing({ weight: 9 }), failing({ required: true })], { threshold: 0.5 }),
    score: 0,
    status: 'fail',
    required: true,
  },
  {
    name: 'a required one fails: no threshold hides it',
    assertion: allOf([passing(), failing({ required: true })], { threshold: 0 }),
    score: 0,
    status: 'fail',
    required: true,
  },
  {
    name: 'a required one passes: nothing gates',
    assertion: allOf([passing({ required: true }), failing()], { threshold: 0.5 }),
    score: 0.5,
    status: 'pass',
    required: false,
  },
  {
    name: 'a required one not judged: error that gates',
    assertion: allOf([passing(), broken({ required: true })]),
    score: null,
    status: 'error',
    required: true,
  },
  {
    name: 'negated: 1 less the score',
    assertion: allOf([passing(), failing()], { ...NOT, threshold: 0.5 }),
    score: 0.5,
    status: 'pass',
  },
  {
    name: 'negated: all pass, so it fails',
    assertion: allOf([passing()], NOT),
    score: 0,
    status: 'fail',
  },
  {
    name: 'negated: a required one still gates',
    assertion: allOf([failing({ required: true })], NOT),
    score: 0,
    status: 'fail',
    required: true,
  },
  {
    name: 'negated: skipped stays skipped',
    assertion: allOf([skipped()], NOT),
    score: null,
    status: 'skipped',
  },
  { name: 'one passes', assertion: anyOf([failing(), passing()]), score: 1, status: 'pass' },
  { name: 'none passes', assertion: anyOf([failing(), failing()]), score: 0, status: 'fail' },
  {
    name: 'greatest weight of those that pass ÷ greatest weight',
    assertion: anyOf([failing(), passing({ weight: 0.6 }), passing({ weight: 0.2 })]),
    score: 0.6,
    status: 'pass',
  },
  {
    name: 'what passes weighs too little',
    assertion: anyOf([failing(), passing({ weight: 0.4 })]),
    score: 0.4,
    status: 'fail',
  },
  {
    name: 'weights of 0 alone',
    assertion: anyOf([passing({ weight: 0 }), failing({ weight: 0 })]),
    score: 1,
    status: 'pass',
  },
  {
    name: 'a skipped one does not count',
    assertion: anyOf([skipped(), failing()]),
    score: 0,
    status: 'fail',
  },
  { name: 'all skipped: skipped', assertion: anyOf([skipped()]), score: null, status: 'skipped' },
  {
    name: 'one not judged: error, also where another passes',
    assertion: anyOf([passing(), broken()]),
    score: null,
    status: 'error',
  },
  {
    name: 'a required one fails: 0, and it gates',
    assertion: anyOf([passing(), failing({ required: true })]),
    score: 0,
    status: 'fail',
    required: true,
  },
  {
    name: 'negated: one passes, so it fails',
    assertion: anyOf([passing(), failing()], NOT),
    score: 0,
    status: 'fail',
  },
  { name: 'negated: none passes', assertion: anyOf([failing()], NOT), score: 1, status: 'pass' },
];

describe('all-of and any-of: the formula', () => {
  for (const { name, assertion, score, status, required = false } of rows) {
    it(`${assertion.type}: ${name}`, async (t) => {
      const verdict = await judgeOne(t, assertion, [], ABOUT);
      assertRow(verdict, { score, status });
      assert.equal(verdict.assertion.required, required);
      assert.equal(verdict.nested?.length, assertion.nested?.length);
    });
  }
});

describe('all-of and any-of: at any depth', () => {
  it('a required one in the innermost gates the case, with no way round', async (t) => {
    const inner = allOf([failing({ required: true }), passing({ weight: 99 })], { threshold: 0 });
    const outer = anyOf([inner, passing({ weight: 99 })], { threshold: 0, weight: 0 });
    const { verdicts } = await judge(t, [], [outer, passing({ weight: 99 })], ABOUT);
    assert.equal(verdicts[0]?.assertion.required, true);
    assert.equal(caseStatus(verdicts, 0.1), 'fail');
  });

  it('any-of of all-ofs: one whole branch is enough', async (t) => {
    const verdict = await judgeOne(
      t,
      anyOf([allOf([passing(), failing()]), allOf([passing(), passing()])]),
      [],
      ABOUT,
    );
    assertRow(verdict, { score: 1, status: 'pass' });
    assert.deepEqual(
      verdict.nested?.map(({ status }) => status),
      ['fail', 'pass'],
    );
  });

  it('rationales name the nested assertions', async (t) => {
    const verdict = await judgeOne(t, allOf([passing(), failing()]), [], ABOUT);
    assert.equal(verdict.rationale, '1 of 2 pass. Failed: “F”.');
    assert.match(verdict.hits.join(), /^“P”: /);
    assert.match(verdict.misses.join(), /^“F”: /);
    const negated = await judgeOne(t, allOf([passing(), failing()], NOT), [], ABOUT);
    assert.match(negated.hits.join(), /^“F”: /);
    assert.match(negated.misses.join(), /^“P”: /);
  });

  it('an error names the one that could not be judged', async (t) => {
    const verdict = await judgeOne(t, anyOf([passing(), broken()]), [], ABOUT);
    assert.equal(verdict.reason, 'turn-not-found');
    assert.match(verdict.rationale, /“E” could not be judged: .*no turn 99/);
  });
});

describe('all-of and any-of: with judges below', () => {
  const relevancy = buildAssertion('turn-relevancy', {}, { name: 'R' });
  const criterion = (text: string) =>
    buildAssertion('criterion', { criterion: text }, { name: text });
  const turns = [entry(2), fails(4), entry(6), away(8)];

  it('turns take the worst of what is said of them, the mean of the scores and all words', async (t) => {
    const each = buildAssertion(
      'contains',
      { value: 'Answer' },
      { name: 'C', at: { kind: 'each' } },
    );
    const verdict = await judgeOne(t, allOf([relevancy, each]), [answer(...turns)], ABOUT);
    assert.deepEqual(shownTurns(verdict), ['2 pass 1', '4 fail 0.5', '6 pass 1', '8 pass 1']);
    assert.match(verdict.turns[1]?.rationale ?? '', /^R: r4 C: /);
  });

  it('negated, turns are turned round as well: what fails there is what was asked for', async (t) => {
    const verdict = await judgeOne(t, allOf([relevancy], NOT), [answer(...turns)], ABOUT);
    assert.deepEqual(shownTurns(verdict), ['2 fail 0', '4 pass 1', '6 fail 0', '8 skipped']);
    const gate = allOf([relevancy, failing({ required: true })], NOT);
    const gated = await judgeOne(t, gate, [answer(...turns)], ABOUT);
    assert.deepEqual(shownTurns(gated).slice(0, 3), ['2 pass 1', '4 fail 0', '6 pass 1']);
  });

  it('plain criteria share one request, in groups and next to them', async (t) => {
    const one = (number: number) => ({ criterion: number, outcome: 'met', turns, rationale: '' });
    const met = {
      criteria: [1, 2, 3].map((number) => ({
        ...one(number),
        turns: turns.map((turn) => ({ ...turn, verdict: 'pass' })),
      })),
      rationale: '',
    };
    const { verdicts, server } = await judge(
      t,
      [json(met)],
      [allOf([criterion('a'), anyOf([criterion('b')])]), criterion('c')],
      ABOUT,
    );
    assert.equal(server.requests.length, 1);
    assert.deepEqual(
      verdicts.map(({ status }) => status),
      ['pass', 'pass'],
    );
  });

  it('usage is the sum over the nested assertions, counted once', async (t) => {
    const group = allOf([relevancy, anyOf([{ ...relevancy, name: 'again' }, passing()])]);
    const { verdicts, server } = await judge(t, () => json(answer(...turns)), [group], ABOUT);
    const [verdict] = verdicts;
    assert.equal(server.requests.length, 2);
    assert.equal(verdict?.usage.calls, 2);
    const below = verdict?.nested ?? [];
    assert.deepEqual(
      below.map(({ usage }) => usage.calls),
      [1, 1],
    );
    assert.equal(
      verdict?.usage.input_tokens,
      below.reduce((sum, { usage }) => sum + usage.input_tokens, 0),
    );
  });
});
