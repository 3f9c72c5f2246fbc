import { bearing, type ExampleAnswer, pass } from './answer.ts';

const BERGEN = 'Through which window shall I look?';

/** Judges of one's own: criteria and a decision graph. */
export const deepevalOwnAnswers: readonly ExampleAnswer[] = [
  {
    question: 'g_eval_steps',
    about: ['takes the anger of the user seriously'],
    answer: {
      steps: [
        'Find the turns in which the user is angry, and what about.',
        'Check whether the next turn of the assistant names the anger or its cause.',
        'Check whether the assistant then does something about the cause and does not only promise it.',
        'Score high only when both are there, in the middle when it only says that it is sorry.',
      ],
    },
  },
  {
    question: 'g_eval',
    about: ['My parcel went to the wrong town'],
    answer: {
      turns: [
        pass(2, 'Takes up the anger and acts at once.', 'Twice is twice too often'),
        pass(4, 'Finds the parcel and sends it.', 'A driver brings it tonight before eight'),
      ],
      rationale: 'The anger is taken seriously, and turn 4 delivers what turn 2 began.',
      score: 8,
    },
    probabilities: { 8: 0.6, 9: 0.3, 7: 0.1 },
  },
  {
    question: 'decision_task',
    about: [BERGEN],
    answer: {
      turns: [
        bearing(2, 'Asks for the place in play.', BERGEN),
        bearing(4, 'Gives the weather with a joke.', 'Bergen and dry?'),
      ],
      rationale: 'Both replies belong to the summary.',
      answer:
        "The user wanted tomorrow's weather in Bergen and got it, after a playful question for the place.",
    },
  },
  {
    question: 'decision_yes_no',
    about: [BERGEN],
    answer: {
      turns: [
        bearing(2, 'The place had to be asked for.', BERGEN),
        bearing(4, 'Answers what was asked.', 'It pours from morning to night'),
      ],
      rationale: 'Turn 4 says what the weather in Bergen will be.',
      answer: 'yes',
    },
  },
  {
    question: 'decision_choice',
    about: [BERGEN],
    answer: {
      turns: [
        bearing(2, 'Makes a joke of asking back.', BERGEN),
        bearing(4, 'Teases the town and cares for the user.', 'so take the big umbrella'),
      ],
      rationale: 'Both replies joke without mocking the user.',
      answer: 'playful',
    },
  },
];
