import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { language } from '../../../src/assertions/types/language.ts';
import { noRepeat } from '../../../src/assertions/types/no-repeat.ts';
import { NO_USAGE, type Usage } from '../../../src/core/verdict.ts';
import { outcomeOf, replies } from '../../support/deterministic.ts';
import { assertRow, FOUR } from '../../support/formulas.ts';
import { assistant, buildAssertion, judgeOne } from '../../support/judging.ts';

/** max-tokens and max-cost check the target's usage. */

const USED: Usage = {
  calls: 4,
  input_tokens: 900,
  cached_tokens: 0,
  output_tokens: 200,
  cost: 0.012,
};
const NOT = { negate: true };

const rows: [string, ReturnType<typeof buildAssertion>, Partial<Usage>, number, number][] = [
  ['fewer tokens than the most', buildAssertion('max-tokens', { max: 2000 }), {}, 1, 1100],
  ['as many', buildAssertion('max-tokens', { max: 1100 }), {}, 1, 1100],
  ['one more', buildAssertion('max-tokens', { max: 1099 }), {}, 0, 1100],
  ['those read', buildAssertion('max-tokens', { max: 899, of: 'input' }), {}, 0, 900],
  ['those written', buildAssertion('max-tokens', { max: 200, of: 'output' }), {}, 1, 200],
  [
    'none written',
    buildAssertion('max-tokens', { max: 1, of: 'output' }),
    { output_tokens: 0 },
    1,
    0,
  ],
  ['more, as `negate` asks', buildAssertion('max-tokens', { max: 1000 }, NOT), {}, 1, 1100],
  [
    'fewer, where `negate` asks for more',
    buildAssertion('max-tokens', { max: 2000 }, NOT),
    {},
    0,
    1100,
  ],
  ['less than the most', buildAssertion('max-cost', { max: 0.05 }), {}, 1, 0.012],
  ['as much', buildAssertion('max-cost', { max: 0.012 }), {}, 1, 0.012],
  ['more', buildAssertion('max-cost', { max: 0.01 }), {}, 0, 0.012],
  ['nothing, at a price of 0', buildAssertion('max-cost', { max: 0.01 }), { cost: 0 }, 1, 0],
  ['more, as `negate` asks', buildAssertion('max-cost', { max: 0.01 }, NOT), {}, 1, 0.012],
];

describe('max-tokens and max-cost', () => {
  for (const [name, assertion, rest, score, value] of rows) {
    it(`${assertion.type}: ${name}: ${score}`, async (t) => {
      const about = { conversation: FOUR, targetUsage: { ...USED, ...rest } };
      const verdict = await judgeOne(t, assertion, [], about);
      assertRow(verdict, { score, value, status: score === 1 ? 'pass' : 'fail' });
      const { max } = assertion.params;
      assert.deepEqual(verdict.details, { used: value, max });
      assert.match([...verdict.hits, ...verdict.misses].join(), /^Turn 8: /);
    });
  }

  const unknown: [string, ReturnType<typeof buildAssertion>, Usage | undefined][] = [
    ['no usage', buildAssertion('max-tokens', { max: 9 }), undefined],
    ['no tokens reported', buildAssertion('max-tokens', { max: 9 }), { ...NO_USAGE, calls: 4 }],
    [
      'no tokens reported of those written',
      buildAssertion('max-tokens', { max: 9, of: 'output' }),
      NO_USAGE,
    ],
    ['no usage', buildAssertion('max-cost', { max: 9 }), undefined],
    ['no price', buildAssertion('max-cost', { max: 9 }), { ...USED, cost: null }],
    ['no price, negated', buildAssertion('max-cost', { max: 9 }, NOT), { ...USED, cost: null }],
  ];
  for (const [name, assertion, targetUsage] of unknown) {
    it(`${assertion.type}: ${name}: an error, never a pass`, async (t) => {
      const about = { conversation: FOUR, ...(targetUsage && { targetUsage }) };
      const verdict = await judgeOne(t, assertion, [], about);
      assert.deepEqual([verdict.status, verdict.reason], ['error', 'check-failed']);
      assert.match(verdict.rationale, /was not measured\. /);
    });
  }
});

const LONG = replies([assistant('I am here.\n'.repeat(30_000))]);

/** How many times other tasks got to run while the work was in progress. */
async function turnsOfOthers(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let done = false;
  const ended = work.finally(() => {
    done = true;
  });
  while (!done) {
    turns += 1;
    await setImmediate();
  }
  await ended;
  return turns;
}

describe('a long reply leaves others their turn', () => {
  it('while its language is detected', async () => {
    const check = () => outcomeOf(language, { language: 'en' }, LONG);
    await outcomeOf(language, { language: 'en' }, replies([assistant('Hi')]));
    assert.ok((await turnsOfOthers(check())) > 2);
  });

  it('while it is compared with others', async () => {
    assert.ok((await turnsOfOthers(outcomeOf(noRepeat, {}, LONG))) > 2);
  });
});
