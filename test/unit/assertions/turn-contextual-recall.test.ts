import assert from 'node:assert/strict';
import { it } from 'node:test';
import { claiming, claimless, RETRIEVING } from '../../support/claims.ts';
import { expecting } from '../../support/expecting.ts';
import { FOUR, testFormulas, testMistakes } from '../../support/formulas.ts';
import { answer, buildAssertion, buildFacts, judgeOne } from '../../support/judging.ts';

const ASSERTION = buildAssertion('turn-contextual-recall');
const FACTS = buildFacts({ expectations: { outcome: 'Returns are free for 30 days.' } });
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
    misses: ['Turn 2: not in the context: c2.4', 'Turn 4: not in the context: c4.2'],
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

it('turn-contextual-recall: skipped without asking if no turn has retrieved context', async (t) => {
  const verdict = await judgeOne(t, ASSERTION, [], { conversation: FOUR, facts: FACTS });
  assert.deepEqual([verdict.status, verdict.reason], ['skipped', 'no-retrieval-context']);
  assert.equal(verdict.requests.length, 0);
});

it('turn-contextual-recall: asks about the turns with an expected reply', async (t) => {
  const about = { conversation: expecting(4) };
  const verdict = await judgeOne(t, ASSERTION, [answer(claiming(4, true))], about);
  assert.equal(verdict.status, 'pass');
  assert.match(verdict.requests[0]?.body.messages[1]?.content ?? '', /\| Good reply 4\./);
  const elsewhere = await judgeOne(t, ASSERTION, [], { conversation: expecting(6) });
  assert.deepEqual([elsewhere.status, elsewhere.reason], ['skipped', 'nothing-expected']);
  const nowhere = await judgeOne(t, ASSERTION, [], { conversation: RETRIEVING });
  assert.deepEqual([nowhere.status, nowhere.reason], ['error', 'missing-need']);
});
