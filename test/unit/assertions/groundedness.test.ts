import assert from 'node:assert/strict';
import { it } from 'node:test';
import { claiming, claimless, RETRIEVING } from '../../support/claims.ts';
import { FOUR, testFormulas, testMistakes } from '../../support/formulas.ts';
import {
  answer,
  assistant,
  buildAssertion,
  buildFacts,
  call,
  judgeOne,
  talk,
  user,
} from '../../support/judging.ts';

const ASSERTION = buildAssertion('groundedness');
const ABOUT = { conversation: RETRIEVING };

testFormulas(ASSERTION, ABOUT, [
  {
    name: 'grounded ÷ claims over all turns, not the mean of the turns',
    said: answer(claiming(2, true, true, true, true, false), claiming(4, false), claimless(6)),
    score: 4 / 6,
    status: 'pass',
    label: 'no',
    turns: ['2 pass 0.8', '4 fail 0', '6 skipped'],
    misses: ['Turn 2: not grounded: c2.5', 'Turn 4: not grounded: c4.1'],
  },
  {
    name: 'all grounded',
    said: answer(claiming(2, true), claiming(4, true), claiming(6, true)),
    score: 1,
    status: 'pass',
    label: 'yes',
  },
  {
    name: 'nothing claimed: skipped',
    said: answer(claimless(2), claimless(4), claimless(6)),
    score: null,
    status: 'skipped',
    reason: 'no-claims',
  },
]);

testMistakes(ASSERTION, ABOUT, answer(claiming(2, true), claiming(4, true), claimless(6)), [
  [
    'applicable without claims',
    answer(claiming(2), claiming(4, true), claimless(6)),
    'contradiction',
    /must list its claims/,
  ],
]);

it('groundedness: skipped without asking if nothing was given', async (t) => {
  const verdict = await judgeOne(t, ASSERTION, [], { conversation: FOUR });
  assert.deepEqual([verdict.status, verdict.reason], ['skipped', 'no-context']);
  assert.equal(verdict.requests.length, 0);
});

const given: [string, Parameters<typeof judgeOne>[3]][] = [
  ['a tool result', { conversation: talk(user('?'), ...call('find', {}, 'x'), assistant('x')) }],
  [
    'the context of the case',
    {
      conversation: talk(user('?'), assistant('x')),
      facts: buildFacts({ context: { shop: 'Hats' } }),
    },
  ],
];
for (const [name, about] of given) {
  it(`groundedness: asked where ${name} was given`, async (t) => {
    const verdict = await judgeOne(t, ASSERTION, [answer(claiming(2, true))], about);
    assert.equal(verdict.status, 'pass');
  });
}
