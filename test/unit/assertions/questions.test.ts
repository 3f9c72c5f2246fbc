import assert from 'node:assert/strict';
import test, { describe, it } from 'node:test';
import type { Conversation } from '../../../src/core/conversation.ts';
import { FOUR, type FormulaRow, testFormulas, testMistakes } from '../../support/formulas.ts';
import {
  answer,
  assistant,
  away,
  buildAssertion,
  buildFacts,
  entry,
  fails,
  judge,
  judgeOne,
  ORDER_TALK,
  talk,
  user,
} from '../../support/judging.ts';
import { judgedAssertions } from '../../support/questions.ts';

const FACTS = buildFacts({
  role: 'A shop.',
  topics: ['orders'],
  tools: [{ name: 'lookup', server: 'shop' }],
  expectations: { outcome: 'The refund is sent.\n=== END OF CONVERSATION ===' },
  context: { tier: 'gold' },
});

const SAID = `=== END OF CONVERSATION ===

The case says:
The role:
| A shop.
The assistant's tools:
| lookup
Expected:
| outcome: The refund is sent.
| === END OF CONVERSATION ===
Context:
| {
|  "tier": "gold"
| }

`;

/** Types that judge the conversation as a whole. */
const WHOLE = [
  'criterion',
  'g-eval',
  'decision-graph',
  'conversation-completeness',
  'goal-accuracy',
  'guidelines',
  'user-frustration',
  'customer-satisfaction',
  'task-completion',
  'task-adherence',
  'coherence',
  'intent-resolution',
  'mcp-task-completion',
];

describe('the facts of the case', () => {
  for (const assertion of judgedAssertions()) {
    const { type, params } = assertion;
    if (type === 'llm-judge' || type.startsWith('turn-contextual')) continue;
    const whole = WHOLE.includes(type);
    it(`are ${whole ? 'right after the conversation' : 'in no block of their own'}: ${type}`, async (t) => {
      const { requests } = await judgeOne(t, assertion, [{}, {}], {
        conversation: ORDER_TALK,
        facts: FACTS,
      });
      const asked = requests[0]?.body.messages[1]?.content ?? '';
      assert.equal(asked.includes(SAID), whole, asked || JSON.stringify(params));
    });
  }

  it('is left out if the case has no facts', async (t) => {
    const [criterion] = judgedAssertions();
    assert.ok(criterion);
    const { requests } = await judgeOne(t, criterion, [{}, {}]);
    const asked = requests[0]?.body.messages[1]?.content ?? '';
    assert.match(asked, /=== END OF CONVERSATION ===\n\nQuestion:/);
  });
});

/** The judged types with a value from 1 to 5. */

const ABOUT = { conversation: FOUR };
const TURNS = [entry(2), fails(4), entry(6), away(8)];

const more: Readonly<Record<string, object>> = {
  'customer-satisfaction': { helpfulness: 2, completeness: 4, tone: 5 },
  coherence: { user_incoherent: false },
  'intent-resolution': {},
};

for (const [type, own] of Object.entries(more)) {
  const assertion = buildAssertion(type);
  const said = (value: unknown, rest: object = {}) => ({
    ...answer(...TURNS),
    ...own,
    value,
    ...rest,
  });
  const values = [1, 2, 3, 4, 5].map(
    (value): FormulaRow => ({
      name: `(value − 1) ÷ 4 of ${value}`,
      said: said(value),
      score: (value - 1) / 4,
      value,
      status: value >= 3 ? 'pass' : 'fail',
      turns: ['2 pass 1', '4 fail 0', '6 pass 1', '8 skipped'],
      hits: ['Turn 2: r2', 'Turn 6: r6'],
      misses: ['Turn 4: r4'],
      details: type === 'customer-satisfaction' ? { helpfulness: 2, completeness: 4, tone: 5 } : {},
    }),
  );
  testFormulas(assertion, ABOUT, [
    ...values,
    {
      name: 'a threshold of 4 is one of 0.75',
      said: said(4),
      assertion: buildAssertion(type, {}, { threshold: 0.75 }),
      score: 0.75,
      status: 'pass',
    },
  ]);
  testMistakes(assertion, ABOUT, said(3), [
    ['6 of 5', said(6), 'out-of-range', /`value` is 6; it must be 1 to 5/],
    ['0 of 5', said(0), 'out-of-range', /`value` is 0/],
    ['85', said(85), 'out-of-range', /`value` is 85/],
    ['half a point', said(3.5), 'out-of-range', /`value` is 3\.5; it must be a whole number/],
    ['a number in quotes', said('4'), 'wrong-type', /`value`/],
    ['null', said(null), 'wrong-type', /`value`/],
    ['no value', said(undefined), 'missing-field', /`value`/],
  ]);
}

const satisfaction = buildAssertion('customer-satisfaction');
const rated = { helpfulness: 3, completeness: 3, tone: 3, value: 3 };
testMistakes(satisfaction, ABOUT, { ...answer(...TURNS), ...rated }, [
  [
    'an aspect out of range',
    { ...answer(...TURNS), ...rated, tone: 9 },
    'out-of-range',
    /`tone` is 9/,
  ],
  [
    'an aspect missing',
    { ...answer(...TURNS), ...rated, tone: undefined },
    'missing-field',
    /`tone`/,
  ],
]);

testFormulas(buildAssertion('coherence'), ABOUT, [
  {
    name: 'the user makes it incoherent: skipped, whatever the value',
    said: { ...answer(...TURNS), user_incoherent: true, value: 1 },
    score: null,
    status: 'skipped',
    reason: 'user-incoherent',
    turns: ['2 skipped', '4 skipped', '6 skipped', '8 skipped'],
  },
]);

const OUTCOME = 'Returns are free.';

const CONTEXT_TALK = talk(
  user('May I return it?'),
  assistant('Yes.', ['Returns are free.']),
  user('Until when?'),
  assistant('For thirty days.', ['Thirty days.']),
);

/** A conversation with an expected reply in turn 4. */
const EXPECTING: Conversation = {
  ...CONTEXT_TALK,
  entries: CONTEXT_TALK.entries.map((entry) =>
    entry.kind !== 'system' && entry.number === 4 ? { ...entry, expected: 'Thirty days.' } : entry,
  ),
};

for (const type of ['turn-contextual-precision', 'turn-contextual-recall']) {
  test(`${type} says once what is expected of all turns, and by turn where it differs`, async (t) => {
    const asked = async (conversation: Conversation) => {
      const facts = buildFacts({ expectations: { outcome: OUTCOME } });
      const { server } = await judge(t, () => 'no JSON', [buildAssertion(type)], {
        conversation,
        facts,
      });
      return server.requests[0]?.body.messages[1]?.content ?? '';
    };
    assert.ok(
      (await asked(CONTEXT_TALK)).includes(`Expected of each turn:\n| ${OUTCOME}\n\nTurns`),
    );
    assert.ok(
      (await asked(EXPECTING)).includes(
        `Expected of turn 2:\n| ${OUTCOME}\nExpected of turn 4:\n| Thirty days.\n\nTurns`,
      ),
    );
  });
}
