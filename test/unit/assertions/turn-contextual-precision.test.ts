import assert from 'node:assert/strict';
import { it } from 'node:test';
import { expecting } from '../../support/expecting.ts';
import { FOUR, testFormulas, testMistakes } from '../../support/formulas.ts';
import {
  answer,
  assistant,
  away,
  buildAssertion,
  buildFacts,
  entry,
  judgeOne,
  talk,
  user,
} from '../../support/judging.ts';

/** Turn 2 uses three contexts, turn 4 uses one, and turn 6 none. */
const RANKED = talk(
  user('Returns?'),
  assistant('They are free.', ['Returns are free.', 'Hats are blue.', 'With the receipt.']),
  user('How long?'),
  assistant('30 days.', ['Returns take 30 days.']),
  user('Thanks.'),
  assistant('Bye.'),
);

const ASSERTION = buildAssertion('turn-contextual-precision');
const FACTS = buildFacts({ expectations: { outcome: 'Returns are free for 30 days.' } });
const ABOUT = { conversation: RANKED, facts: FACTS };

function ranked(turn: number, ...useful: boolean[]) {
  const nodes = useful.map((one, index) => ({ node: index + 1, why: 'w', useful: one }));
  return { ...entry(turn), nodes };
}

const rows: [string, boolean[], number][] = [
  ['all useful', [true, true, true], 1],
  ['useful, useless, useful', [true, false, true], (1 + 2 / 3) / 2],
  ['useful first', [true, false, false], 1],
  ['useful second', [false, true, false], 1 / 2],
  ['useful last', [false, false, true], 1 / 3],
  ['useless first', [false, true, true], (1 / 2 + 2 / 3) / 2],
  ['none useful: 0, not skipped', [false, false, false], 0],
];

testFormulas(ASSERTION, ABOUT, [
  ...rows.map(([name, useful, average]) => ({
    name: `average precision of a turn: ${name}`,
    said: answer(ranked(2, ...useful), { ...away(4), nodes: [] }),
    score: average,
    status: average >= 0.5 ? ('pass' as const) : ('fail' as const),
  })),
  {
    name: 'the mean over the turns; each turn counts once',
    said: answer(ranked(2, true, false, true), ranked(4, false)),
    score: (1 + 2 / 3) / 4,
    status: 'fail',
    turns: ['2 pass 0.8333', '4 fail 0'],
    hits: [],
    misses: ['Turn 2: useful, useless, useful: r2', 'Turn 4: useless: r4'],
  },
  {
    name: 'no turn applies: skipped',
    said: answer({ ...away(2), nodes: [] }, { ...away(4), nodes: [] }),
    score: null,
    status: 'skipped',
    reason: 'not-applicable',
  },
]);

const GOOD = answer(ranked(2, true, true, true), ranked(4, true));
const other = (nodes: object[]) => answer({ ...entry(2), nodes }, ranked(4, true));
const node = (number: number) => ({ node: number, why: 'w', useful: true });

testMistakes(ASSERTION, ABOUT, GOOD, [
  ['a piece missing', other([node(1), node(2)]), 'incomplete-list', /must list pieces 1 to 3/],
  [
    'a piece twice',
    other([node(1), node(2), node(2)]),
    'incomplete-list',
    /each once and in order/,
  ],
  ['a piece beyond the last', other([1, 2, 3, 4].map(node)), 'incomplete-list', /pieces 1 to 3/],
  ['pieces out of order', other([3, 2, 1].map(node)), 'incomplete-list', /in order/],
  [
    'pieces of a turn said not to apply',
    answer({ ...ranked(2, true, true, true), applicable: false }, ranked(4, true)),
    'contradiction',
    /Turn 2 has pieces, so it is applicable/,
  ],
]);

it('turn-contextual-precision: skipped without asking if no turn has retrieved context', async (t) => {
  const verdict = await judgeOne(t, ASSERTION, [], { conversation: FOUR, facts: FACTS });
  assert.deepEqual([verdict.status, verdict.reason], ['skipped', 'no-retrieval-context']);
  assert.equal(verdict.requests.length, 0);
});

it('turn-contextual-precision: asks about the turns with an expected reply', async (t) => {
  const said = answer(ranked(4, true, true, true));
  const verdict = await judgeOne(t, ASSERTION, [said], { conversation: expecting(4) });
  assert.equal(verdict.score, 1);
  const elsewhere = await judgeOne(t, ASSERTION, [], { conversation: expecting(6) });
  assert.deepEqual([elsewhere.status, elsewhere.reason], ['skipped', 'nothing-expected']);
});
