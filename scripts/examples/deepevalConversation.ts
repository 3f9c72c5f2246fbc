import { type ExampleAnswer, fail, pass } from './answer.ts';

/** Conversation quality and behaviour, as DeepEval sorts its metrics. */
export const deepevalConversationAnswers: readonly ExampleAnswer[] = [
  {
    question: 'conversation_completeness',
    about: ['end my gym membership'],
    answer: {
      intentions: [
        {
          intention: 'end the gym membership this month',
          asked_turn: 1,
          satisfied: true,
          satisfied_turn: 2,
          evidence: 'Your membership ends on the 30th.',
        },
        {
          intention: 'get the receipt for May',
          asked_turn: 1,
          satisfied: false,
          satisfied_turn: null,
          evidence: 'send me the receipt for May',
        },
      ],
      turns: [
        pass(2, 'Ends the membership.', 'Your membership ends on the 30th.'),
        fail(
          4,
          'Says goodbye although the receipt, mentioned again in turn 3, was never sent.',
          'We are sorry to see you go!',
        ),
      ],
      rationale: 'The membership was ended, but the receipt for May was never dealt with.',
    },
  },
  {
    question: 'turn_relevancy',
    about: ['borrow board games'],
    answer: {
      turns: [
        pass(2, 'Gives the hours that were asked for.', 'we are open from ten to four'),
        fail(
          4,
          'Speaks of the reading room; the question was about board games.',
          'The reading room is open on Sundays as well.',
        ),
      ],
      rationale: 'The first question is answered, the second is passed over.',
    },
  },
  {
    question: 'knowledge_retention',
    about: ['I cannot eat nuts'],
    answer: {
      facts: [
        { fact: 'the name is Tomas', turn: 1, superseded_by: null },
        { fact: 'cannot eat nuts', turn: 1, superseded_by: null },
        { fact: 'six people on Saturday', turn: 1, superseded_by: 4 },
        { fact: 'seven people on Saturday', turn: 3, superseded_by: null },
      ],
      turns: [
        {
          ...pass(
            2,
            'Repeats name, number and nuts.',
            'Noted, Tomas: six people, nothing with nuts.',
          ),
          forgot: [],
        },
        {
          ...pass(4, 'Uses the corrected number, and a dish without nuts.', 'For seven'),
          forgot: [],
        },
        {
          ...fail(6, 'Offers hazelnuts to somebody who cannot eat nuts.', 'A hazelnut cake'),
          forgot: [2],
        },
      ],
      rationale: 'The correction to seven is kept, but turn 6 forgets the nuts of turn 1.',
    },
  },
  {
    question: 'role_adherence',
    about: ['My chain keeps jumping'],
    answer: {
      turns: [
        pass(2, 'Arranges the repair.', 'On Tuesday there is a place at nine.'),
        fail(
          4,
          'Gives legal advice instead of leaving the question to the staff.',
          'no, he may not, any court will tell him so',
        ),
      ],
      rationale: 'It arranges the repair as it should, and then answers a legal question.',
    },
  },
  {
    question: 'topic_adherence',
    about: ['Which vaccination does a puppy need'],
    answer: {
      pairs: [
        {
          question: 'Which vaccination does a puppy need first?',
          asked_turn: 1,
          answered_turn: 2,
          on_topic: true,
          reaction: 'answered',
        },
        {
          question: 'Which shares should I buy?',
          asked_turn: 3,
          answered_turn: 4,
          on_topic: false,
          reaction: 'refused',
        },
      ],
      turns: [
        pass(2, 'Answers what is on topic.', 'the one against distemper and parvovirus'),
        pass(4, 'Declines what is off topic, and says why.', 'I cannot advise you on shares'),
      ],
      rationale: 'The question about vaccinations is answered, the one about shares is declined.',
    },
  },
];
