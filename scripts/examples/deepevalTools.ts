import { type ExampleAnswer, pass, uses } from './answer.ts';

/** Goals, tools and MCP servers. */
export const deepevalToolAnswers: readonly ExampleAnswer[] = [
  {
    question: 'goal_accuracy',
    about: ['I need a table for four on Friday'],
    answer: {
      goals: [
        {
          goal: 'a table for four on Friday at eight, outdoors if possible',
          turn: 1,
          plan: 'look for free tables, offer the nearest time, book it once the user agrees',
          quality: 0.8,
          followed: 1,
          rationale:
            'The user agreed to the table; it could have been offered with one indoors at eight.',
          reached: 1,
        },
      ],
      turns: [
        pass(
          2,
          'Looks for tables and offers what is nearest to the wish.',
          'there is a table at half past seven',
        ),
        pass(4, 'Books what the user agreed to.', 'It is booked for half past seven, outdoors.'),
      ],
      rationale: 'The goal is reached by a sound plan, which left out a table indoors at eight.',
    },
  },
  {
    question: 'tool_use',
    about: ['Will it rain in Lisbon tomorrow?'],
    answer: {
      turns: [
        uses(1, 1, 2, 'Looks up the forecast of the right city and day.', '"city":"Lisbon"'),
        uses(
          0.5,
          0,
          4,
          'Books without looking for trains first; the train and the class are made up.',
          '{"train":"IC 520","class":"first"}',
        ),
      ],
      rationale: 'The forecast is looked up well; the seat is booked on a train that nobody found.',
    },
  },
  {
    question: 'mcp_use',
    about: ['My badge does not open the lab'],
    answer: {
      turns: [
        uses(1, 1, 2, 'Searches the tickets by the right words.', '{"words":"badge lab"}'),
        uses(
          0,
          null,
          4,
          'Names a ticket without having called open_ticket.',
          'your ticket is number 4711',
        ),
      ],
      rationale: 'The search fits; the ticket was never opened with the tool that is there for it.',
    },
  },
  {
    question: 'mcp_task_completion',
    about: ['The projector in room 12 stays dark'],
    answer: {
      requests: [
        {
          request: 'report the projector in room 12',
          asked_turn: 1,
          delivered: 'ticket 812',
          delivered_turn: 2,
          evidence: 'It is reported, as ticket 812.',
          gaps: [],
        },
      ],
      turns: [pass(2, 'Opens the ticket, as the result bears out.', '{"ticket": 812}')],
      rationale: 'The ticket was opened through the helpdesk, and its number is told.',
    },
  },
];
