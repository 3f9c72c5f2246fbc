import { FOUR, testFormulas, testMistakes } from '../../support/formulas.ts';
import { answer, away, buildAssertion, entry, fails } from '../../support/judging.ts';

const ASSERTION = buildAssertion('goal-accuracy');
const ABOUT = { conversation: FOUR };
const PASSING = [entry(2), entry(4), entry(6), entry(8)];

function goal(turn: number, reached: number, quality: number, followed: number) {
  return {
    goal: `g${turn}`,
    turn,
    plan: 'look, tell',
    quality,
    followed,
    rationale: 'why',
    reached,
  };
}

function said(goals: object[], turns: object[] = PASSING) {
  return { goals, ...answer(...turns) };
}

testFormulas(ASSERTION, ABOUT, [
  {
    name: '(reached + plan) ÷ 2, the plan worth the lower of quality and following',
    said: said([goal(1, 1, 0.8, 0.5)]),
    score: 0.75,
    status: 'pass',
    label: 'yes',
    hits: ['Turn 1: reached: g1'],
    misses: [],
  },
  {
    name: 'the mean over the goals',
    said: said([goal(1, 1, 1, 1), goal(3, 0, 0.4, 1)], [entry(2), fails(4), entry(6), away(8)]),
    score: 0.6,
    status: 'pass',
    label: 'no',
    turns: ['2 pass 1', '4 fail 0', '6 pass 1', '8 skipped'],
    hits: ['Turn 1: reached: g1'],
    misses: ['Turn 3: not reached: g3. why'],
  },
  {
    name: 'a goal reached in part is a miss',
    said: said([goal(1, 0.9, 1, 1)]),
    score: 0.95,
    status: 'pass',
    label: 'no',
    misses: ['Turn 1: not reached: g1. why'],
  },
  { name: 'nothing reached', said: said([goal(1, 0, 0, 0)]), score: 0, status: 'fail' },
  {
    name: 'no goal: skipped',
    said: said([], [away(2), away(4), away(6), away(8)]),
    score: null,
    status: 'skipped',
    reason: 'no-goals',
  },
]);

testMistakes(ASSERTION, ABOUT, said([goal(1, 1, 1, 1)]), [
  [
    'a goal of the assistant',
    said([goal(2, 1, 1, 1)]),
    'turns-mismatch',
    /Goal 1 cites turn 2, which is no turn of the user/,
  ],
  ['a goal of turn 99', said([goal(99, 1, 1, 1)]), 'turns-mismatch', /cites turn 99/],
  ['reached beyond 1', said([goal(1, 1.5, 1, 1)]), 'out-of-range', /`reached` of goal 1 is 1\.5/],
  ['quality of 85', said([goal(1, 1, 85, 1)]), 'out-of-range', /`quality` of goal 1 is 85/],
  ['followed below 0', said([goal(1, 1, 1, -1)]), 'out-of-range', /`followed` of goal 1 is -1/],
  [
    'reached as text',
    said([{ ...goal(1, 1, 1, 1), reached: 'yes' }]),
    'wrong-type',
    /goals\.0\.reached/,
  ],
]);
