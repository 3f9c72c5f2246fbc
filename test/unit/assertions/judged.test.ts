import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Conversation } from '../../../src/core/conversation.ts';
import type { Assertion, JudgePrompt } from '../../../src/core/suite.ts';
import {
  answer,
  assistant,
  away,
  buildAssertion,
  buildFacts,
  buildPrompt,
  entry,
  fails,
  judgeOne,
  ORDER_TALK,
  talk,
  user,
} from '../../support/judging.ts';

/** Turns 1, 3, 5, and 7 are the user's; 2, 4, 6, and 8 are the assistant's. */
const LONG_TALK = talk(
  user('I am Ann. My order is 1.'),
  assistant('Hello Ann.'),
  user('Sorry, it is 2. And a refund, and a new hat.'),
  assistant('Order 2 it is.'),
  user('Well?'),
  assistant('Which order?'),
  user('Thanks.'),
  assistant('Bye.'),
);
const PASSING = [entry(2), entry(4), entry(6), entry(8)];

const relevancy = buildAssertion('turn-relevancy');
const adherence = buildAssertion('role-adherence');
const completeness = buildAssertion('conversation-completeness');
const retention = buildAssertion('knowledge-retention');
const frustration = buildAssertion('user-frustration');
const rules = buildAssertion('guidelines', { guidelines: ['Be kind.', 'No dates.', 'Say sorry.'] });
const criterion = buildAssertion('criterion', { criterion: 'The agent is polite.' });
const ownJudge = (params: object, prompt: Partial<JudgePrompt> = {}) =>
  buildAssertion(
    'llm-judge',
    { ...params },
    { prompt: buildPrompt('Judge {{conversation}}.', prompt) },
  );

const labels = (scores: Record<string, number>): Partial<JudgePrompt> => ({
  grading: { kind: 'labels', labels: scores },
});

function intention(asked_turn: number, satisfied_turn: number | null, rest: object = {}) {
  const satisfied = satisfied_turn !== null;
  return { intention: 'i', asked_turn, satisfied, satisfied_turn, evidence: '', ...rest };
}

function completed(intentions: object[], turns: object[] = PASSING) {
  return { intentions, ...answer(...turns) };
}

function guideline(number: number, outcome: string, violated_in: number[] = []) {
  return { guideline: number, outcome, violated_in, rationale: `g${number}` };
}

function guided(list: object[], turns: object[] = PASSING) {
  return { guidelines: list, ...answer(...turns) };
}

function fact(turn: number, superseded_by: number | null = null) {
  return { fact: 'f', turn, superseded_by };
}

function remembered(facts: object[], ...turns: object[]) {
  return { facts, ...answer(...turns.map((one) => ({ forgot: [], ...one }))) };
}

function frustrated(overall: string, ...scores: number[]) {
  const turns = scores.map((score, index) => ({ ...entry(index * 2 + 1), score }));
  return { ...answer(...turns), overall };
}

function met(outcome: string, turns: object[] = PASSING) {
  return { criteria: [{ criterion: 1, outcome, turns, rationale: 'why' }], rationale: '' };
}

function scored(score: number, rest: object = {}) {
  return { ...answer(...PASSING), details: [], score, ...rest };
}

function perTurn(...scores: (number | null)[]) {
  const turns = scores.map((score, index) => ({
    ...entry((index + 1) * 2, { applicable: score !== null }),
    score: score ?? 0,
  }));
  return { ...answer(...turns), details: [] };
}

interface Row {
  readonly name: string;
  readonly assertion: Assertion;
  readonly said: object;
  readonly score: number | null;
  readonly status: string;
  readonly label?: string;
  readonly hits?: string[];
  readonly misses?: string[];
}

const formulas: readonly Row[] = [
  {
    name: 'relevant ÷ judged turns',
    assertion: relevancy,
    said: answer(entry(2), fails(4), entry(6), entry(8)),
    score: 0.75,
    status: 'pass',
    label: 'no',
    hits: ['Turn 2: r2', 'Turn 6: r6', 'Turn 8: r8'],
    misses: ['Turn 4: r4'],
  },
  {
    name: 'turns to which it does not apply do not count',
    assertion: relevancy,
    said: answer(entry(2), fails(4), away(6), away(8)),
    score: 0.5,
    status: 'pass',
    hits: ['Turn 2: r2'],
    misses: ['Turn 4: r4'],
  },
  {
    name: 'below the threshold',
    assertion: relevancy,
    said: answer(entry(2), fails(4), fails(6), fails(8)),
    score: 0.25,
    status: 'fail',
  },
  {
    name: 'no applicable turn: skipped',
    assertion: relevancy,
    said: answer(away(2), away(4), away(6), away(8)),
    score: null,
    status: 'skipped',
  },
  {
    name: 'turns in role ÷ judged turns',
    assertion: adherence,
    said: answer(entry(2), entry(4), fails(6), fails(8)),
    score: 0.5,
    status: 'pass',
    label: 'no',
  },
  {
    name: 'all turns in role',
    assertion: adherence,
    said: answer(...PASSING),
    score: 1,
    status: 'pass',
    label: 'yes',
  },
  {
    name: 'satisfied ÷ all intentions',
    assertion: completeness,
    said: completed(
      [intention(1, 2), intention(3, 4, { intention: 'refund' }), intention(3, null)],
      [entry(2), entry(4), fails(6), entry(8)],
    ),
    score: 2 / 3,
    status: 'pass',
    label: 'no',
    hits: ['Turn 2: i', 'Turn 4: refund'],
    misses: ['Turn 3: never dealt with: i'],
  },
  {
    name: 'all intentions satisfied',
    assertion: completeness,
    said: completed([intention(1, 8)]),
    score: 1,
    status: 'pass',
    label: 'yes',
    misses: [],
  },
  {
    name: 'no intention: skipped',
    assertion: completeness,
    said: completed([]),
    score: null,
    status: 'skipped',
  },
  {
    name: 'turns without a lapse ÷ turns that a fact bears on',
    assertion: retention,
    said: remembered(
      [fact(1), fact(1, 3), fact(3)],
      entry(2),
      entry(4),
      fails(6, { forgot: [1, 3] }),
      away(8),
    ),
    score: 2 / 3,
    status: 'pass',
    label: 'no',
    misses: ['Turn 6: r6'],
  },
  {
    name: 'no fact: skipped',
    assertion: retention,
    said: remembered([], ...PASSING),
    score: null,
    status: 'skipped',
  },
  {
    name: 'no turn that a fact bears on: skipped',
    assertion: retention,
    said: remembered([fact(7)], away(2), away(4), away(6), away(8)),
    score: null,
    status: 'skipped',
  },
  {
    name: 'met ÷ applicable guidelines; one violated is not enough',
    assertion: rules,
    said: guided(
      [guideline(1, 'met'), guideline(2, 'violated', [4, 6, 4]), guideline(3, 'not-applicable')],
      [entry(2), fails(4), fails(6), away(8)],
    ),
    score: 0.5,
    status: 'fail',
    label: 'no',
    hits: ['Turn 8: followed throughout: Be kind.'],
    misses: ['Turn 4: violates “No dates.” g2', 'Turn 6: violates “No dates.” g2'],
  },
  {
    name: 'all applicable guidelines met',
    assertion: rules,
    said: guided([
      guideline(1, 'met'),
      guideline(3, 'not-applicable'),
      guideline(2, 'not-applicable'),
    ]),
    score: 1,
    status: 'pass',
    label: 'yes',
  },
  {
    name: 'no applicable guideline: skipped',
    assertion: rules,
    said: guided([1, 2, 3].map((number) => guideline(number, 'not-applicable'))),
    score: null,
    status: 'skipped',
  },
  {
    name: 'none: 1',
    assertion: frustration,
    said: frustrated('none', 0, 0.2, 0.4, 0),
    score: 1,
    status: 'pass',
    label: 'none',
    hits: ['Turn 1: r1', 'Turn 3: r3', 'Turn 5: r5', 'Turn 7: r7'],
    misses: [],
  },
  {
    name: 'resolved: 0.5',
    assertion: frustration,
    said: frustrated('resolved', 0, 0.8, 0.5, 0.1),
    score: 0.5,
    status: 'pass',
    label: 'resolved',
    misses: ['Turn 3: r3', 'Turn 5: r5'],
  },
  {
    name: 'unresolved: 0',
    assertion: frustration,
    said: frustrated('unresolved', 0, 0, 0, 1),
    score: 0,
    status: 'fail',
    label: 'unresolved',
    misses: ['Turn 7: r7'],
  },
  {
    name: 'met: 1',
    assertion: criterion,
    said: met('met', [away(2), entry(4), away(6), away(8)]),
    score: 1,
    status: 'pass',
    label: 'yes',
    hits: ['Turn 4: r4'],
    misses: [],
  },
  {
    name: 'not met: 0',
    assertion: criterion,
    said: met('not-met', [entry(2), fails(4), away(6), away(8)]),
    score: 0,
    status: 'fail',
    label: 'no',
    misses: ['Turn 4: r4'],
  },
  {
    name: 'not met, and no turn in particular',
    assertion: criterion,
    said: met('not-met', [away(2), away(4), away(6), away(8)]),
    score: 0,
    status: 'fail',
    misses: ['Turn 8: not met by then: why'],
  },
  {
    name: 'a score on 0 to 1',
    assertion: ownJudge({}),
    said: scored(0.5),
    score: 0.5,
    status: 'pass',
  },
  {
    name: 'a score on 1 to 5',
    assertion: ownJudge({ scale: [1, 5] }),
    said: scored(2),
    score: 0.25,
    status: 'fail',
  },
  {
    name: "a score on the prompt's scale, lowest",
    assertion: ownJudge({}, { grading: { kind: 'scale', scale: [-1, 1] } }),
    said: scored(-1),
    score: 0,
    status: 'fail',
  },
  {
    name: "the assertion's scale before the prompt's",
    assertion: ownJudge({ scale: [0, 4] }, { grading: { kind: 'scale', scale: [0, 10] } }),
    said: scored(4),
    score: 1,
    status: 'pass',
  },
  {
    name: 'the score of the label that the judge chose',
    assertion: ownJudge({}, labels({ polite: 1, neutral: 0.5, impolite: 0 })),
    said: { ...answer(...PASSING), details: [], label: 'neutral' },
    score: 0.5,
    status: 'pass',
    label: 'neutral',
  },
  {
    name: 'never a score that the judge gives beside its label',
    assertion: ownJudge({}, labels({ polite: 1, impolite: 0 })),
    said: scored(1, { label: 'impolite' }),
    score: 0,
    status: 'fail',
    label: 'impolite',
  },
  {
    name: "the assertion's labels before the prompt's scale",
    assertion: ownJudge(
      { labels: { good: 0.8, bad: 0 } },
      { grading: { kind: 'scale', scale: [1, 5] } },
    ),
    said: { ...answer(...PASSING), details: [], label: 'good' },
    score: 0.8,
    status: 'pass',
    label: 'good',
  },
  {
    name: 'the mean of the turns',
    assertion: ownJudge({ per_turn: true }),
    said: perTurn(1, 0, 0.5, 0.5),
    score: 0.5,
    status: 'pass',
    hits: ['Turn 2: r2', 'Turn 6: r6', 'Turn 8: r8'],
    misses: ['Turn 4: r4'],
  },
  {
    name: 'the mean of the applicable turns on a scale',
    assertion: ownJudge({ per_turn: true, scale: [1, 5] }),
    said: perTurn(5, 3, null, null),
    score: 0.75,
    status: 'pass',
  },
  {
    name: 'no applicable turn of the prompt: skipped',
    assertion: ownJudge({ per_turn: true }),
    said: perTurn(null, null, null, null),
    score: null,
    status: 'skipped',
  },
];

const ROLE = { conversation: LONG_TALK, facts: buildFacts({ role: 'A shop.' }) };

describe('formulas', () => {
  for (const { name, assertion, said, score, status, label, hits, misses } of formulas) {
    it(`${assertion.type}: ${name}`, async (t) => {
      const verdict = await judgeOne(t, assertion, [said], ROLE);
      assert.equal(verdict.requests.length, 1);
      assert.equal(verdict.status, status, verdict.rationale);
      assert.equal(verdict.score, score);
      if (label !== undefined) assert.equal(verdict.label, label);
      if (hits) assert.deepEqual(verdict.hits, hits);
      if (misses) assert.deepEqual(verdict.misses, misses);
      if (status === 'skipped') assert.ok(verdict.reason);
    });
  }

  it('each turn counts once, in any order', async (t) => {
    for (const bad of [2, 4, 6, 8]) {
      const turns = [2, 4, 6, 8].map((turn) => (turn === bad ? fails(turn) : entry(turn)));
      const verdict = await judgeOne(t, relevancy, [answer(...turns)], ROLE);
      assert.equal(verdict.score, 0.75);
    }
  });
});

describe('contradictions are repaired, else errors', () => {
  const rows: [name: string, assertion: Assertion, said: object, reason: string][] = [
    [
      'satisfied without a turn',
      completeness,
      completed([intention(1, null, { satisfied: true })]),
      'contradiction',
    ],
    [
      'a turn though not satisfied',
      completeness,
      completed([intention(1, 2, { satisfied: false })]),
      'contradiction',
    ],
    ['satisfied before it was asked', completeness, completed([intention(3, 2)]), 'contradiction'],
    [
      'an intention that the assistant asked',
      completeness,
      completed([intention(2, 4)]),
      'turns-mismatch',
    ],
    [
      'an intention that the user satisfied',
      completeness,
      completed([intention(1, 3)]),
      'turns-mismatch',
    ],
    ['an intention of turn 99', completeness, completed([intention(99, null)]), 'turns-mismatch'],
    [
      'a guideline missing',
      rules,
      guided([guideline(1, 'met'), guideline(2, 'met')]),
      'incomplete-list',
    ],
    [
      'a guideline twice',
      rules,
      guided([guideline(1, 'met'), guideline(1, 'met'), guideline(2, 'met')]),
      'incomplete-list',
    ],
    [
      'violated in no turn',
      rules,
      guided([guideline(1, 'violated'), guideline(2, 'met'), guideline(3, 'met')]),
      'contradiction',
    ],
    [
      'met, but a turn violates it',
      rules,
      guided([guideline(1, 'met', [2]), guideline(2, 'met'), guideline(3, 'met')]),
      'contradiction',
    ],
    [
      "violated in the user's turn",
      rules,
      guided([guideline(1, 'violated', [3]), guideline(2, 'met'), guideline(3, 'met')]),
      'turns-mismatch',
    ],
    [
      'violated in a turn that passes',
      rules,
      guided([guideline(1, 'violated', [2]), guideline(2, 'met'), guideline(3, 'met')]),
      'contradiction',
    ],
    [
      'a fact that the assistant gave',
      retention,
      remembered([fact(2)], ...PASSING),
      'turns-mismatch',
    ],
    ['superseded by itself', retention, remembered([fact(1, 1)], ...PASSING), 'contradiction'],
    ['superseded by nothing', retention, remembered([fact(1, 9)], ...PASSING), 'contradiction'],
    [
      'superseded by an older fact',
      retention,
      remembered([fact(1), fact(3, 1)], ...PASSING),
      'contradiction',
    ],
    [
      'superseded in a circle',
      retention,
      remembered([fact(1, 2), fact(1, 1)], ...PASSING),
      'contradiction',
    ],
    [
      'a lapse without a fact',
      retention,
      remembered([fact(1)], entry(2), fails(4), entry(6), entry(8)),
      'contradiction',
    ],
    [
      'a fact forgotten in a turn that passes',
      retention,
      remembered([fact(1)], entry(2), entry(4, { forgot: [1] }), entry(6), entry(8)),
      'contradiction',
    ],
    [
      'a fact forgotten before it was given',
      retention,
      remembered([fact(3)], fails(2, { forgot: [1] }), entry(4), entry(6), entry(8)),
      'contradiction',
    ],
    ['none, but a turn is angry', frustration, frustrated('none', 0, 0.5, 0, 0), 'contradiction'],
    [
      'unresolved, but no turn is angry',
      frustration,
      frustrated('unresolved', 0, 0.4, 0, 0),
      'contradiction',
    ],
    [
      'resolved, but the last turn is angry',
      frustration,
      frustrated('resolved', 0, 0, 0, 0.9),
      'contradiction',
    ],
    [
      'frustration of a turn that does not apply',
      frustration,
      {
        ...answer(...[1, 3, 5, 7].map((turn) => ({ ...away(turn), score: 0 }))),
        overall: 'none',
      },
      'contradiction',
    ],
    ['frustration beyond 1', frustration, frustrated('unresolved', 0, 0, 0, 1.5), 'out-of-range'],
    [
      'a label that is none of the labels',
      ownJudge({ labels: { a: 1, b: 0 } }),
      scored(1, { label: 'c' }),
      'unknown-value',
    ],
    [
      "a turn's score beyond the scale",
      ownJudge({ per_turn: true }),
      perTurn(1, 7.5, 0, 0),
      'out-of-range',
    ],
  ];
  for (const [name, assertion, said, reason] of rows) {
    it(`${assertion.type}: ${name}: ${reason}`, async (t) => {
      const verdict = await judgeOne(t, assertion, [said, said], ROLE);
      assert.deepEqual([verdict.status, verdict.reason], ['error', reason], verdict.rationale);
      assert.equal(verdict.requests.length, 2);
    });
  }
});

describe('the contents of a verdict', () => {
  it('of intentions: their turns and their quotes, verified', async (t) => {
    const conversation: Conversation = ORDER_TALK;
    const said = completed(
      [
        intention(1, 2, { evidence: 'shipped on Monday' }),
        intention(3, null, { evidence: 'a lie' }),
      ],
      [entry(2), fails(4)],
    );
    const { details } = await judgeOne(t, completeness, [said], { conversation });
    assert.deepEqual(details.intentions, [
      {
        ...intention(1, 2),
        evidence: { text: 'shipped on Monday', verified: true },
      },
      { ...intention(3, null), evidence: { text: 'a lie', verified: false } },
    ]);
  });

  it('of facts: the ledger with its corrections, and what was forgotten where', async (t) => {
    const facts = [fact(1, 2), fact(3)];
    const said = remembered(facts, entry(2), entry(4), fails(6, { forgot: [2] }), away(8));
    const { details } = await judgeOne(t, retention, [said], ROLE);
    assert.deepEqual(details, { facts, forgot: [{ turn: 6, fact: 2 }] });
  });

  it('of frustration: the score of each user turn', async (t) => {
    const { details, turns } = await judgeOne(
      t,
      frustration,
      [frustrated('unresolved', 0, 0.25, 0.75, 1)],
      ROLE,
    );
    assert.deepEqual(details.frustration, [
      { turn: 1, score: 0 },
      { turn: 3, score: 0.25 },
      { turn: 5, score: 0.75 },
      { turn: 7, score: 1 },
    ]);
    assert.deepEqual(
      turns.map(({ turn, status, score }) => [turn, status, score]),
      [
        [1, 'pass', 1],
        [3, 'pass', 0.75],
        [5, 'fail', 0.25],
        [7, 'fail', 0],
      ],
    );
  });
});
