import { type ExampleAnswer, fail, pass, scored } from './answer.ts';

const WASHING_MACHINE = ['My washing machine is with you'];
const MUSEUM = 'Is the museum open today?';
const CHILDREN = 'Do children pay?';

const criterion = (
  number: number,
  outcome: string,
  turns: readonly object[],
  rationale: string,
) => ({
  criterion: number,
  turns,
  rationale,
  outcome,
});

/** What one of three samples could say. */
const warmth = (score: number, turn: ReturnType<typeof pass>, rationale: string) => ({
  turns: [turn],
  label: null,
  details: [],
  rationale,
  score,
});

const SORRY = [2, 'Sorry, brief, and nothing to pay.', 'I am sorry.'] as const;

/** The answer about one turn that is judged by itself, with the words of a turn that is shown. */
const relevancy = (shown: string, entry: ReturnType<typeof pass>): ExampleAnswer => ({
  question: 'turn_relevancy',
  about: [shown, `Turns to judge: ${entry.turn}.`],
  answer: { turns: [entry], rationale: entry.rationale },
});

export const compositionAnswers: readonly ExampleAnswer[] = [
  {
    question: 'llm_judge_per_turn',
    about: WASHING_MACHINE,
    answer: {
      turns: [
        scored(1, 2, 'Makes two promises and breaks none.', 'I will ring you before we deliver'),
        scored(
          0,
          4,
          'The machine was delivered without the call that turn 2 promised.',
          'the driver was near you and left it there',
        ),
      ],
      label: null,
      details: [
        { name: 'promises', value: '2' },
        { name: 'kept', value: '1' },
      ],
      rationale: 'Thursday is kept, the call before the delivery is not.',
    },
  },
  {
    question: 'criteria',
    about: WASHING_MACHINE,
    answer: {
      criteria: [
        criterion(
          1,
          'met',
          [
            pass(2, 'Friendly and clear.', 'I will ring you before we deliver'),
            pass(4, 'Friendly in tone.', 'We hope all is well.'),
          ],
          'Both turns are polite.',
        ),
      ],
      rationale: 'The tone is polite throughout.',
    },
  },
  {
    question: 'criteria',
    about: ['I would like to rent a boat on Sunday.'],
    answer: {
      criteria: [
        criterion(
          1,
          'met',
          [
            pass(2, 'Asks for the number.', 'How many of you will there be?'),
            pass(4, 'Proposes a boat for the number that it knows.', 'it carries six'),
          ],
          'It asks in turn 2 and proposes in turn 4.',
        ),
        criterion(
          2,
          'not-met',
          [
            { ...pass(2, 'Names no price.', ''), applicable: false },
            fail(4, 'The tax comes on top of the price.', 'It is 90 for the day, plus tax.'),
          ],
          'The only price is without the tax.',
        ),
      ],
      rationale: 'It asks first, as it should, and then names a price without the tax.',
    },
  },
  {
    question: 'criteria',
    about: ['I want my 40 back for case 5150'],
    answer: {
      criteria: [
        criterion(
          1,
          'met',
          [pass(2, 'Calm and concrete.', 'I understand that you are waiting for it.')],
          'The user is upset, the assistant is not.',
        ),
      ],
      rationale: 'The assistant stays calm.',
    },
  },
  {
    question: 'llm_judge',
    about: ['My dog died this morning.'],
    answer: [
      warmth(4, pass(...SORRY), 'It is sorry and takes the cost away.'),
      warmth(
        2,
        fail(2, 'One short sentence for a death is cold.', 'I am sorry.'),
        'What is said is right, but it is hardly more than a form.',
      ),
      warmth(3, pass(...SORRY), 'Sorry and generous, if brief.'),
    ],
  },
  relevancy(MUSEUM, pass(2, 'Answers the question.', 'Yes, from nine to six.')),
  relevancy(
    CHILDREN,
    fail(
      4,
      'Speaks of the hours again; the question was about children.',
      'We close at six, the last way in is at half past five.',
    ),
  ),
  relevancy(CHILDREN, pass(6, 'Answers what was asked for.', 'Under twelve they go in for free.')),
];

/** Vectors of texts by words that only they hold: near in direction where they mean the same. */
export const compositionVectors: Readonly<Record<string, readonly number[]>> = {
  'Your money is on its way back to you.': [0.8, 0.5, 0.3],
  'we have just sent the 60 back to your account': [0.7, 0.6, 0.4],
};
