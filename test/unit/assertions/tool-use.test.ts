import { testFormulas, testMistakes } from '../../support/formulas.ts';
import {
  type ArgumentCounts,
  answer,
  assistant,
  away,
  buildAssertion,
  buildFacts,
  call,
  countsOf,
  entry,
  talk,
  user,
} from '../../support/judging.ts';

/** Turns 2 and 4 call a tool; turns 6 and 8 don't. */
const CALLING = talk(
  user('My order?'),
  ...call('lookup', { order: 1 }, 'shipped', 'a'),
  assistant('Shipped.'),
  user('And the hat?'),
  ...call('lookup', { order: 2 }, 'none', 'b'),
  assistant('None.'),
  user('Cancel it.'),
  assistant('Cancelled.'),
  user('Thanks.'),
  assistant('Bye.'),
);

const ASSERTION = buildAssertion('tool-use');
const ABOUT = {
  conversation: CALLING,
  facts: buildFacts({ tools: [{ name: 'lookup' }, { name: 'cancel' }] }),
};

/** `given` is null if the turn calls nothing. */
function used(turn: number, selection: number, given: number | null) {
  return { ...entry(turn), selection, arguments: countsOf(given) };
}

function unused(turn: number) {
  return { ...away(turn), selection: 0, arguments: null };
}

function counted(turn: number, counts: ArgumentCounts) {
  return { ...entry(turn), selection: 1, arguments: counts };
}

const REST = [unused(6), unused(8)];

testFormulas(ASSERTION, ABOUT, [
  {
    name: 'min(mean selection, mean arguments): arguments lower',
    said: answer(used(2, 1, 1), used(4, 1, 0.5), ...REST),
    score: 0.75,
    status: 'pass',
    turns: ['2 pass 1', '4 pass 0.5', '6 skipped', '8 skipped'],
    hits: ['Turn 2: r2'],
    misses: ['Turn 4: r4'],
    details: { selection: 1, arguments: 0.75 },
  },
  {
    name: 'min(mean selection, mean arguments): selection lower; a call that was due counts',
    said: answer(used(2, 1, 1), used(4, 1, 1), used(6, 0, null), unused(8)),
    score: 2 / 3,
    status: 'pass',
    turns: ['2 pass 1', '4 pass 1', '6 fail 0', '8 skipped'],
    misses: ['Turn 6: r6'],
    details: { selection: 2 / 3, arguments: 1 },
  },
  {
    name: 'below the threshold',
    said: answer(used(2, 0, 1), used(4, 0.5, 1), ...REST),
    score: 0.25,
    status: 'fail',
    turns: ['2 fail 0', '4 pass 0.5', '6 skipped', '8 skipped'],
  },
  {
    name: 'right ÷ (given + missing): a needed argument that is missing counts',
    said: answer(counted(2, { given: 1, right: 1, missing: 3 }), used(4, 1, 1), ...REST),
    score: 0.625,
    status: 'pass',
    turns: ['2 fail 0.25', '4 pass 1', '6 skipped', '8 skipped'],
    details: { selection: 1, arguments: 0.625 },
  },
  {
    name: 'no argument given and none needed: 1',
    said: answer(counted(2, { given: 0, right: 0, missing: 0 }), used(4, 1, 1), ...REST),
    score: 1,
    status: 'pass',
    turns: ['2 pass 1', '4 pass 1', '6 skipped', '8 skipped'],
  },
  {
    name: 'called nothing where it should have: selection alone',
    said: answer(used(2, 0, null)),
    about: { ...ABOUT, conversation: talk(user('Cancel it.'), assistant('Done.')) },
    score: 0,
    status: 'fail',
    details: { selection: 0, arguments: null },
  },
  {
    name: 'nothing called, nothing needed: skipped, not 0',
    said: answer(unused(2)),
    about: { ...ABOUT, conversation: talk(user('Hi'), assistant('Hello')) },
    score: null,
    status: 'skipped',
    reason: 'no-tool-needed',
  },
]);

testMistakes(ASSERTION, ABOUT, answer(used(2, 1, 1), used(4, 1, 1), ...REST), [
  [
    'a turn that calls, said not to apply',
    answer(unused(2), used(4, 1, 1), ...REST),
    'contradiction',
    /Turn 2 calls something, so it is applicable/,
  ],
  [
    'no arguments of a turn that calls',
    answer(used(2, 1, null), used(4, 1, 1), ...REST),
    'contradiction',
    /`arguments` must hold its counts/,
  ],
  [
    'arguments of a turn that calls nothing',
    answer(used(2, 1, 1), used(4, 1, 1), used(6, 0, 1), unused(8)),
    'contradiction',
    /`arguments` must be null/,
  ],
  [
    'selection of 7.5',
    answer(used(2, 7.5, 1), used(4, 1, 1), ...REST),
    'out-of-range',
    /`selection` of turn 2 is 7\.5/,
  ],
  [
    'more right arguments than given',
    answer(counted(2, { given: 1, right: 2, missing: 0 }), used(4, 1, 1), ...REST),
    'out-of-range',
    /`arguments` of turn 2 must be counts/,
  ],
  [
    'half an argument',
    answer(counted(2, { given: 1, right: 0.5, missing: 0 }), used(4, 1, 1), ...REST),
    'out-of-range',
    /`arguments` of turn 2 must be counts/,
  ],
  [
    'arguments below 0',
    answer(counted(2, { given: 1, right: 1, missing: -1 }), used(4, 1, 1), ...REST),
    'out-of-range',
    /`arguments` of turn 2 must be counts/,
  ],
  [
    'selection as text',
    answer({ ...used(2, 1, 1), selection: '1' }, used(4, 1, 1), ...REST),
    'wrong-type',
    /turns\.0\.selection/,
  ],
]);
