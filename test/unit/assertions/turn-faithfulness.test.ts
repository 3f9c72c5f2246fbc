import assert from 'node:assert/strict';
import { it } from 'node:test';
import { claiming, claimless, RETRIEVING } from '../../support/claims.ts';
import { FOUR, testFormulas, testMistakes } from '../../support/formulas.ts';
import { answer, buildAssertion, judgeOne } from '../../support/judging.ts';

const ASSERTION = buildAssertion('turn-faithfulness');
const ABOUT = { conversation: RETRIEVING };

testFormulas(ASSERTION, ABOUT, [
  {
    name: 'mean over the turns of supported ÷ claims; a turn without context is not asked about',
    said: answer(claiming(2, true, false, false, false), claiming(4, true)),
    score: 0.625,
    status: 'pass',
    label: 'no',
    turns: ['2 fail 0.25', '4 pass 1'],
    hits: ['Turn 2: c2.1', 'Turn 4: c4.1'],
    misses: [
      'Turn 2: not supported: c2.2',
      'Turn 2: not supported: c2.3',
      'Turn 2: not supported: c2.4',
    ],
  },
  {
    name: 'all supported',
    said: answer(claiming(2, true, true), claiming(4, true)),
    score: 1,
    status: 'pass',
    label: 'yes',
    misses: [],
    details: {
      claims: [
        { turn: 2, claim: 'c2.1', holds: true },
        { turn: 2, claim: 'c2.2', holds: true },
        { turn: 4, claim: 'c4.1', holds: true },
      ],
      holding_claims: 3,
    },
  },
  {
    name: 'a turn without claims does not count',
    said: answer(claiming(2, false), claimless(4)),
    score: 0,
    status: 'fail',
    turns: ['2 fail 0', '4 skipped'],
  },
  {
    name: 'no claim at all: skipped',
    said: answer(claimless(2), claimless(4)),
    score: null,
    status: 'skipped',
    reason: 'no-claims',
    turns: ['2 skipped', '4 skipped'],
  },
  {
    name: 'a turn passes at the threshold of the whole',
    said: answer(claiming(2, true, false), claiming(4, true)),
    assertion: buildAssertion('turn-faithfulness', {}, { threshold: 0.75 }),
    score: 0.75,
    status: 'pass',
    turns: ['2 fail 0.5', '4 pass 1'],
  },
]);

testMistakes(ASSERTION, ABOUT, answer(claiming(2, true), claiming(4, true)), [
  [
    'applicable without claims',
    answer(claiming(2), claiming(4, true)),
    'contradiction',
    /Turn 2 is applicable, so `claims` must list its claims/,
  ],
  [
    'claims of a turn said not to apply',
    answer({ ...claiming(2, true), applicable: false }, claiming(4, true)),
    'contradiction',
    /Turn 2 has claims, so it is applicable/,
  ],
  [
    '"yes" where true or false is asked',
    answer({ ...claiming(2), claims: [{ claim: 'c', holds: 'yes' }] }, claiming(4, true)),
    'wrong-type',
    /claims\.0\.holds/,
  ],
  [
    'a turn without context',
    answer(claiming(2, true), claiming(4, true), claiming(6, true)),
    'turns-mismatch',
    /turn 6, which is not to be judged/,
  ],
]);

it('turn-faithfulness: with `penalize_ambiguous: false` a claim the context is silent about holds', async (t) => {
  const lenient = buildAssertion('turn-faithfulness', { penalize_ambiguous: false });
  const said = [answer(claiming(2, true, false), claiming(4, true))];
  const { requests, misses } = await judgeOne(t, lenient, said, ABOUT);
  assert.match(
    JSON.stringify(requests),
    /A claim holds unless the context\\+nretrieved .* contradicts it/,
  );
  assert.deepEqual(misses, ['Turn 2: contradicted: c2.2']);
});

it('turn-faithfulness: skipped without asking if no turn has retrieved context', async (t) => {
  const verdict = await judgeOne(t, ASSERTION, [], { conversation: FOUR });
  assert.deepEqual([verdict.status, verdict.reason], ['skipped', 'no-retrieval-context']);
  assert.equal(verdict.requests.length, 0);
});
