import { bearing, claims, type ExampleAnswer } from './answer.ts';

const LATE_BOOKS = ['How late may I bring a book back?'];

/** The four metrics of retrieval, over one conversation. */
export const deepevalRetrievalAnswers: readonly ExampleAnswer[] = [
  {
    question: 'turn_faithfulness',
    about: LATE_BOOKS,
    answer: {
      turns: [
        claims([2, 'Both claims stand in the context.', 'Two days late is fine'], {
          'two days late cost nothing': true,
          'each further day costs 20 cents': true,
        }),
        claims(
          [4, 'The context says 1 euro, and nothing of students.', 'A film costs 50 cents a day'],
          { 'a film costs 50 cents a day': false, 'students pay half': false },
        ),
      ],
      rationale: 'Turn 2 keeps to the context; turn 4 contradicts it and adds to it.',
    },
  },
  {
    question: 'turn_contextual_relevancy',
    about: LATE_BOOKS,
    answer: {
      turns: [
        claims([2, 'Grace and fee answer the question, the seats do not.', 'two days of grace'], {
          'there are two days of grace': true,
          'then the fee is 20 cents for each day': true,
          'the reading room has forty seats': false,
        }),
        claims(
          [4, 'The fee of films answers the question, the club does not.', '1 euro for each day'],
          {
            'the film club meets on Mondays': false,
            'films have no days of grace': true,
            'the fee of a film is 1 euro for each day': true,
          },
        ),
      ],
      rationale: 'For each question two of three statements are of use.',
    },
  },
  {
    question: 'turn_contextual_precision',
    about: LATE_BOOKS,
    answer: {
      turns: [
        {
          ...bearing(2, 'What is useful stands first.', 'There are two days of grace'),
          nodes: [
            { node: 1, why: 'gives grace and fee of books', useful: true },
            { node: 2, why: 'is about seats', useful: false },
          ],
        },
        {
          ...bearing(4, 'The film club stands before the fee.', 'The film club meets on Mondays.'),
          nodes: [
            { node: 1, why: 'is about a club', useful: false },
            { node: 2, why: 'gives the fee of films', useful: true },
          ],
        },
      ],
      rationale: 'For books the useful piece stands first, for films it stands last.',
    },
  },
  {
    question: 'turn_contextual_recall',
    about: LATE_BOOKS,
    answer: {
      turns: [
        claims(
          [2, 'Both statements stand in the first piece.', 'the fee is 20 cents for each day'],
          { 'a book may be two days late': true, 'then it costs 20 cents a day': true },
        ),
        claims([4, 'The second piece holds it.', 'The fee is 1 euro for each day.'], {
          'a film costs 1 euro a day from the first day on': true,
        }),
      ],
      rationale: 'All that a good reply needs was retrieved for each turn.',
    },
  },
];
