import { FOUR, testFormulas, testMistakes } from '../../support/formulas.ts';
import { answer, away, buildAssertion, entry, fails } from '../../support/judging.ts';

const ASSERTION = buildAssertion('task-adherence');
const ABOUT = { conversation: FOUR };
const PASSING = [entry(2), entry(4), entry(6), entry(8)];
const ONE_FAILS = [entry(2), fails(4), entry(6), away(8)];

function aspect(turn: number, verdict: 'pass' | 'fail' = 'pass', evidence = '') {
  return { rationale: `a${turn}`, turn, evidence, verdict };
}

function said(goal: object, rules: object, procedure: object, turns: object[] = PASSING) {
  return { ...answer(...turns), goal, rules, procedure };
}

const fail = aspect(4, 'fail');

testFormulas(ASSERTION, ABOUT, [
  {
    name: 'all three pass: 1',
    said: said(aspect(2), aspect(4), aspect(6)),
    score: 1,
    status: 'pass',
    label: 'yes',
    hits: ['Turn 2: goal: a2', 'Turn 4: rules: a4', 'Turn 6: procedure: a6'],
    misses: [],
  },
  {
    name: 'two of three: 2 ÷ 3, below its threshold of 1',
    said: said(aspect(2, 'pass', 'Answer 1.'), aspect(2), fail, ONE_FAILS),
    score: 2 / 3,
    status: 'fail',
    label: 'no',
    turns: ['2 pass 1', '4 fail 0', '6 pass 1', '8 skipped'],
    misses: ['Turn 4: procedure: a4'],
    details: {
      aspects: [
        { aspect: 'goal', ...aspect(2), evidence: { text: 'Answer 1.', verified: true } },
        { aspect: 'rules', ...aspect(2), evidence: undefined },
        { aspect: 'procedure', ...fail, evidence: undefined },
      ],
    },
  },
  {
    name: 'one of three',
    said: said(fail, fail, aspect(2), ONE_FAILS),
    assertion: buildAssertion('task-adherence', {}, { threshold: 1 / 3 }),
    score: 1 / 3,
    status: 'pass',
  },
  { name: 'none', said: said(fail, fail, fail, ONE_FAILS), score: 0, status: 'fail', hits: [] },
]);

testMistakes(ASSERTION, ABOUT, said(aspect(2), aspect(2), aspect(2)), [
  [
    "an aspect of the user's turn",
    said(aspect(1), aspect(2), aspect(2)),
    'turns-mismatch',
    /`goal` cites turn 1, which is not to be judged/,
  ],
  [
    'an aspect of turn 99',
    said(aspect(2), aspect(2), aspect(99)),
    'turns-mismatch',
    /`procedure` cites turn 99/,
  ],
  [
    'an aspect fails in a turn that passes',
    said(aspect(2), fail, aspect(2)),
    'contradiction',
    /`rules` fails in turn 4, so that turn must fail/,
  ],
  [
    'a turn fails, but no aspect does',
    said(aspect(2), aspect(2), aspect(2), ONE_FAILS),
    'contradiction',
    /Turn 4 fails, but all of goal, rules and procedure pass/,
  ],
  [
    '"partly"',
    said({ ...aspect(2), verdict: 'partly' }, aspect(2), aspect(2)),
    'unknown-value',
    /goal\.verdict/,
  ],
]);
