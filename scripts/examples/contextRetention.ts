import { type ExampleAnswer, scored } from './answer.ts';

const REMEMBERS = ['are booked for order #98765'];
const FORGETS = ['Which order is it?'];

const answer = (turns: readonly object[], rationale: string) => ({
  turns,
  label: null,
  details: [],
  rationale,
});

const LOOK_UP = scored(
  1,
  2,
  'Uses the name and the order number of turn 1.',
  'Let me look up order #98765',
);
const BIRTHDAY = scored(
  1,
  4,
  'Takes up Friday and the birthday.',
  'A birthday cannot wait, Sarah.',
);

const RETENTION = 'Judge how well the assistant remembers';
const RELEVANCY = 'Judge how relevant';
const ROLE = "The assistant's role is";

export const contextRetentionAnswers: readonly ExampleAnswer[] = [
  {
    question: 'llm_judge_per_turn',
    about: [...REMEMBERS, RETENTION],
    answer: answer(
      [
        LOOK_UP,
        BIRTHDAY,
        scored(1, 6, 'Recalls order, date and occasion.', 'are booked for order #98765'),
      ],
      'Name, order number, date and occasion are all used where they are needed.',
    ),
  },
  {
    question: 'llm_judge_per_turn',
    about: [...REMEMBERS, RELEVANCY],
    answer: answer(
      [
        scored(1, 2, 'Takes up the missing order.', 'I am sorry about that.'),
        scored(1, 4, 'Offers what makes it come by Friday.', 'upgrade the delivery to express'),
        scored(1, 6, 'Confirms both wishes.', 'Express delivery and gift wrapping are booked'),
      ],
      'Every reply is about what was just asked.',
    ),
  },
  {
    question: 'llm_judge_per_turn',
    about: [...REMEMBERS, ROLE],
    answer: answer(
      [
        scored(1, 2, 'Professional, and uses the name.', 'Hello Sarah'),
        scored(1, 4, 'Warm, and looks for a solution.', 'A birthday cannot wait, Sarah.'),
        scored(1, 6, 'Warm, and closes the matter.', 'Gladly, Sarah.'),
      ],
      'Tone and behaviour fit the role in every turn.',
    ),
  },
  {
    question: 'llm_judge_per_turn',
    about: [...FORGETS, RETENTION],
    answer: answer(
      [
        LOOK_UP,
        BIRTHDAY,
        scored(0, 6, 'Forgot the order number from turn 1 and asks for it.', 'Which order is it?'),
      ],
      'Two turns use what was said; turn 6 asks again for the order number that turn 1 gave.',
    ),
  },
  {
    question: 'llm_judge_per_turn',
    about: [...FORGETS, RELEVANCY],
    answer: answer(
      [
        scored(1, 2, 'Takes up the missing order.', 'I am sorry about that.'),
        scored(1, 4, 'Offers what makes it come by Friday.', 'upgrade the delivery to express'),
        scored(1, 6, 'Takes up the gift wrapping.', 'To add gift wrapping'),
      ],
      'Every reply is about what was just asked.',
    ),
  },
  {
    question: 'llm_judge_per_turn',
    about: [...FORGETS, ROLE],
    answer: answer(
      [
        scored(1, 2, 'Professional, and uses the name.', 'Hello Sarah'),
        scored(1, 4, 'Warm, and looks for a solution.', 'A birthday cannot wait, Sarah.'),
        scored(
          0.5,
          6,
          'Warm, but hands the work back to the customer.',
          'I only need your order number',
        ),
      ],
      'The tone fits throughout; in turn 6 the search for a solution is missing.',
    ),
  },
];
