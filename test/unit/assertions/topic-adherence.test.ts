import { FOUR, testFormulas, testMistakes } from '../../support/formulas.ts';
import { answer, away, buildAssertion, buildFacts, entry, fails } from '../../support/judging.ts';

const ASSERTION = buildAssertion('topic-adherence');
const ABOUT = { conversation: FOUR, facts: buildFacts({ topics: ['orders', 'returns'] }) };

type Reaction = 'answered' | 'refused' | 'ignored';

function pair(
  asked_turn: number,
  on_topic: boolean,
  reaction: Reaction,
  answered_turn: number | null = reaction === 'ignored' ? null : asked_turn + 1,
) {
  return { question: `q${asked_turn}`, asked_turn, answered_turn, on_topic, reaction };
}

function said(pairs: object[], ...turns: object[]) {
  return {
    pairs,
    ...answer(...(turns.length > 0 ? turns : [entry(2), entry(4), entry(6), entry(8)])),
  };
}

testFormulas(ASSERTION, ABOUT, [
  {
    name: '(on topic and answered + off topic and refused) ÷ pairs',
    said: said(
      [
        pair(1, true, 'answered'),
        pair(3, false, 'refused'),
        pair(5, false, 'answered'),
        pair(7, true, 'refused'),
      ],
      entry(2),
      entry(4),
      fails(6),
      fails(8),
    ),
    score: 0.5,
    status: 'pass',
    label: 'no',
    turns: ['2 pass 1', '4 pass 1', '6 fail 0', '8 fail 0'],
    hits: ['Turn 2: on topic, answered: q1', 'Turn 4: off topic, refused: q3'],
    misses: ['Turn 6: off topic, answered: q5', 'Turn 8: on topic, refused: q7'],
  },
  {
    name: 'all as it should be',
    said: said([pair(1, true, 'answered'), pair(3, false, 'refused')]),
    score: 1,
    status: 'pass',
    label: 'yes',
    misses: [],
  },
  {
    name: 'several questions of one message are pairs of their own; one was passed over',
    said: said([pair(1, true, 'answered'), pair(1, true, 'ignored'), pair(1, true, 'ignored')]),
    score: 1 / 3,
    status: 'fail',
    misses: ['Turn 1: on topic, ignored: q1', 'Turn 1: on topic, ignored: q1'],
  },
  {
    name: 'passing over what is off topic is no refusal',
    said: said([pair(1, false, 'ignored')]),
    score: 0,
    status: 'fail',
    label: 'no',
  },
  {
    name: 'no pair: skipped, neither 0 nor 1',
    said: said([], away(2), away(4), away(6), away(8)),
    score: null,
    status: 'skipped',
    reason: 'no-pairs',
    turns: ['2 skipped', '4 skipped', '6 skipped', '8 skipped'],
  },
]);

testMistakes(ASSERTION, ABOUT, said([pair(1, true, 'answered')]), [
  [
    'asked by the assistant',
    said([pair(2, true, 'answered', 4)]),
    'turns-mismatch',
    /Pair 1 cites turn 2, which is no turn of the user/,
  ],
  ['asked in turn 99', said([pair(99, true, 'ignored')]), 'turns-mismatch', /cites turn 99/],
  [
    'answered by the user',
    said([pair(1, true, 'answered', 3)]),
    'turns-mismatch',
    /cites turn 3, which is no turn of the assistant/,
  ],
  [
    'answered before it was asked',
    said([pair(5, true, 'answered', 4)]),
    'contradiction',
    /cannot be answered in turn 4, before it was asked/,
  ],
  [
    'answered in no turn',
    said([pair(1, true, 'answered', null)]),
    'contradiction',
    /Pair 1 must name the turn in which it was answered/,
  ],
  [
    'a turn passes that answers off topic',
    said([pair(1, false, 'answered')]),
    'contradiction',
    /Turn 2 passes, but a pair says/,
  ],
  [
    'an unknown reaction',
    said([{ ...pair(1, true, 'answered'), reaction: 'yes' }]),
    'unknown-value',
    /pairs\.0\.reaction/,
  ],
]);
