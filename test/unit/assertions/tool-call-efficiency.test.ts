import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FOUR, testFormulas, testMistakes } from '../../support/formulas.ts';
import {
  answer,
  assistant,
  buildAssertion,
  call,
  entry,
  fails,
  judgeOne,
  talk,
  user,
} from '../../support/judging.ts';

/** Turn 2 has one call, turn 4 has two, and turn 6 has none. */
const CALLING = talk(
  user('My order?'),
  ...call('lookup', { order: 1 }, 'shipped', 'a'),
  assistant('Shipped.'),
  user('Sure?'),
  ...call('lookup', { order: 1 }, 'shipped', 'b'),
  ...call('weather', {}, 'rain', 'c'),
  assistant('Yes.'),
  user('Thanks.'),
  assistant('Bye.'),
);

const ASSERTION = buildAssertion('tool-call-efficiency');
const ABOUT = { conversation: CALLING };

function wasted(call: number, kind: string) {
  return { call, kind, why: 'w' };
}

function of(one: object, ...list: object[]) {
  return { ...one, wasted: list };
}

const GOOD = answer(of(entry(2)), of(entry(4)));

testFormulas(ASSERTION, ABOUT, [
  {
    name: 'no call wasted: 1; a turn without calls is not asked about',
    said: GOOD,
    score: 1,
    status: 'pass',
    label: 'yes',
    turns: ['2 pass 1', '4 pass 1'],
    hits: ['Turn 2: r2', 'Turn 4: r4'],
    misses: [],
    details: { wasted: [] },
  },
  {
    name: 'one call wasted of three: 0',
    said: answer(of(entry(2)), of(fails(4), wasted(1, 'repeated'))),
    score: 0,
    status: 'fail',
    label: 'no',
    turns: ['2 pass 1', '4 fail 0'],
    misses: ['Turn 4: call 1 is repeated: w'],
    details: { wasted: [{ turn: 4, ...wasted(1, 'repeated') }] },
  },
  {
    name: 'every wasted call is a miss',
    said: answer(
      of(fails(2), wasted(1, 'needless')),
      of(fails(4), wasted(1, 'repeated'), wasted(2, 'redundant')),
    ),
    score: 0,
    status: 'fail',
    misses: [
      'Turn 2: call 1 is needless: w',
      'Turn 4: call 1 is repeated: w',
      'Turn 4: call 2 is redundant: w',
    ],
  },
]);

testMistakes(ASSERTION, ABOUT, GOOD, [
  [
    'a call beyond those of the turn',
    answer(of(fails(2), wasted(2, 'needless')), of(entry(4))),
    'out-of-range',
    /Turn 2 has 1 calls?; there is no call 2/,
  ],
  [
    'call 0',
    answer(of(fails(2), wasted(0, 'needless')), of(entry(4))),
    'out-of-range',
    /no call 0/,
  ],
  [
    'half a call',
    answer(of(entry(2)), of(fails(4), wasted(1.5, 'needless'))),
    'out-of-range',
    /no call 1\.5/,
  ],
  [
    'fails, but wastes nothing',
    answer(of(fails(2)), of(entry(4))),
    'contradiction',
    /Turn 2 must fail exactly when it wastes a call/,
  ],
  [
    'passes, but wastes a call',
    answer(of(entry(2), wasted(1, 'needless')), of(entry(4))),
    'contradiction',
    /exactly when it wastes/,
  ],
  [
    'calls, said not to apply',
    answer(of(entry(2, { applicable: false })), of(entry(4))),
    'contradiction',
    /Turn 2 must be applicable/,
  ],
  [
    'an unknown kind',
    answer(of(fails(2), wasted(1, 'useless')), of(entry(4))),
    'unknown-value',
    /wasted\.0\.kind/,
  ],
]);

it('tool-call-efficiency: skipped without asking if no tool was called', async (t) => {
  const verdict = await judgeOne(t, ASSERTION, [], { conversation: FOUR });
  assert.deepEqual([verdict.status, verdict.reason], ['skipped', 'no-tool-called']);
  assert.equal(verdict.requests.length, 0);
});
