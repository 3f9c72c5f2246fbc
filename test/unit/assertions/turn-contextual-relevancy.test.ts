import assert from 'node:assert/strict';
import { it } from 'node:test';
import { claiming, claimless, RETRIEVING } from '../../support/claims.ts';
import { FOUR, testFormulas, testMistakes } from '../../support/formulas.ts';
import { answer, buildAssertion, buildFacts, judgeOne } from '../../support/judging.ts';

const ASSERTION = buildAssertion('turn-contextual-relevancy');
const FACTS = buildFacts();
const ABOUT = { conversation: RETRIEVING, facts: FACTS };

testFormulas(ASSERTION, ABOUT, [
  {
    name: 'mean over the turns of those that hold ÷ statements',
    said: answer(claiming(2, true, true, true, false), claiming(4, true, false)),
    score: 0.625,
    status: 'pass',
    label: 'no',
    turns: ['2 pass 0.75', '4 pass 0.5'],
    hits: ['Turn 2: c2.1', 'Turn 2: c2.2', 'Turn 2: c2.3', 'Turn 4: c4.1'],
    misses: ['Turn 2: not relevant: c2.4', 'Turn 4: not relevant: c4.2'],
  },
  {
    name: 'none holds',
    said: answer(claiming(2, false), claiming(4, false)),
    score: 0,
    status: 'fail',
    hits: [],
  },
  {
    name: 'a turn without statements does not count',
    said: answer(claiming(2, true), claimless(4)),
    score: 1,
    status: 'pass',
    label: 'yes',
    turns: ['2 pass 1', '4 skipped'],
    details: { statements: [{ turn: 2, claim: 'c2.1', holds: true }], holding_statements: 1 },
  },
  {
    name: 'no statement at all: skipped',
    said: answer(claimless(2), claimless(4)),
    score: null,
    status: 'skipped',
    reason: 'no-statements',
  },
]);

testMistakes(ASSERTION, ABOUT, answer(claiming(2, true), claiming(4, true)), [
  [
    'applicable without statements',
    answer(claiming(2), claiming(4, true)),
    'contradiction',
    /must list its statements/,
  ],
  [
    'statements of a turn said not to apply',
    answer({ ...claiming(2, true), applicable: false }, claiming(4, true)),
    'contradiction',
    /Turn 2 has statements/,
  ],
]);

it('turn-contextual-relevancy: skipped without asking if no turn has retrieved context', async (t) => {
  const verdict = await judgeOne(t, ASSERTION, [], { conversation: FOUR, facts: FACTS });
  assert.deepEqual([verdict.status, verdict.reason], ['skipped', 'no-retrieval-context']);
  assert.equal(verdict.requests.length, 0);
});
