import { away, claims, type ExampleAnswer, fail, pass } from './answer.ts';

export const azureAnswers: readonly ExampleAnswer[] = [
  {
    question: 'customer_satisfaction',
    about: ['My new kettle leaks'],
    answer: {
      turns: [
        pass(2, 'Sorry about it, and agrees at once.', 'Of course you can have a new one.'),
        fail(
          4,
          'Puts the work on the customer and gives no date.',
          'As soon as you have filled in the form',
        ),
      ],
      rationale:
        'Warm and willing, but the customer is left with a form to print and without a date.',
      helpfulness: 3,
      completeness: 2,
      tone: 4,
      value: 3,
    },
  },
  {
    question: 'task_completion',
    about: ['What does the word Fernweh mean?'],
    answer: {
      requests: [
        {
          request: 'know what Fernweh means',
          asked_turn: 1,
          delivered: 'its meaning',
          delivered_turn: 2,
          evidence: 'the longing for far-away places',
          gaps: [],
        },
        {
          request: 'a translation into German',
          asked_turn: 3,
          delivered: '',
          delivered_turn: null,
          evidence: '',
          gaps: ['the translation itself; turn 4 only announces it'],
        },
      ],
      turns: [
        pass(2, 'Explains the word.', 'It is the longing for far-away places.'),
        fail(4, 'Announces the translation and does not give it.', 'I will get right to it.'),
      ],
      rationale: 'The word is explained; of the translation the user has nothing in hand.',
    },
  },
  {
    question: 'task_adherence',
    about: ['You change addresses for a bank.'],
    answer: {
      turns: [
        pass(2, 'Asks for the code, as laid down.', 'What is your code?'),
        fail(4, 'Changes the address without having checked the code.', 'set_address'),
      ],
      goal: {
        rationale: 'The address that was asked for is set.',
        turn: 4,
        evidence: 'your address is Mill Lane 3 now',
        verdict: 'pass',
      },
      rules: {
        rationale: 'No rule about what it may say is broken.',
        turn: 2,
        evidence: 'What is your code?',
        verdict: 'pass',
      },
      procedure: {
        rationale: 'check_code had to come first and was never called.',
        turn: 4,
        evidence: 'set_address {"address":"Mill Lane 3"}',
        verdict: 'fail',
      },
      rationale: 'The goal is reached by a short cut: the code was never checked.',
    },
  },
  {
    question: 'coherence',
    about: ['Which trees can I plant in half shade?'],
    answer: {
      turns: [
        pass(2, 'Answers the question.', 'A serviceberry does well there'),
        pass(
          4,
          'Knows which tree "the first one" is, and leads over to watering.',
          'A serviceberry reaches four metres or so.',
        ),
      ],
      rationale: 'The thread is kept; the hint about watering comes a little suddenly.',
      user_incoherent: false,
      value: 4,
    },
  },
  {
    question: 'coherence',
    about: ['asdf green when was'],
    answer: {
      turns: [
        away(2, 'There was nothing to follow from.'),
        away(4, 'There was nothing to follow from.'),
      ],
      rationale: 'No assistant could make sense of what the user wrote.',
      user_incoherent: true,
      value: 1,
    },
  },
  {
    question: 'groundedness',
    about: ['Does the Hotel Anker still have a double room'],
    answer: {
      turns: [
        claims([2, 'The result says both.', 'there are two left, at 119 for the night'], {
          'two double rooms are left': true,
          'a night costs 119': true,
        }),
        claims([4, 'The result knows of parking, not of breakfast.', 'breakfast is included'], {
          'one can park there': true,
          'breakfast is included': false,
        }),
      ],
      rationale: 'Three of four claims rest on the result; the breakfast is made up.',
    },
  },
  {
    question: 'intent_resolution',
    about: ['It is too loud.'],
    answer: {
      turns: [
        pass(2, 'Asks which sound is meant.', 'Do you mean the music in the app'),
        pass(4, 'Does what was meant, and says where.', 'I have set them to quiet.'),
      ],
      rationale: 'An unclear wish is made clear with one question and then met.',
      value: 5,
    },
  },
];
