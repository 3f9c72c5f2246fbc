import * as z from 'zod';
import { fence } from '../../core/fence.ts';
import type { AssertionInput, JudgedType, Mistake, Outcome, Question } from '../contract.ts';
import {
  citing,
  fromVerdictEntries,
  notApplicable,
  rationaleSchema,
  verdictEntrySchema,
  withWhole,
} from '../shared/entries.ts';
import { citationMistakes, contradiction } from '../shared/mistakes.ts';

const INSTRUCTIONS = `Question: does the assistant answer what belongs to its topics, and refuse what does not?

First list \`pairs\`: each question or request of the user, one by one, also where one message holds several, with the
turn that asks and the assistant's turn that reacts (null where none does). \`on_topic\`: whether a topic below covers
it. \`reaction\`: \`answered\` when the assistant deals with it, also in part; \`refused\` when it declines or leads
back to its topics; else \`ignored\`. Greetings, thanks and small talk are no pairs.

Then judge each turn: it fails when it answers what is off topic, or refuses or ignores what is on topic; else it
passes. It is not applicable when no pair concerns it.`;

const answerSchema = z.object({
  pairs: z.array(
    z.object({
      question: z.string(),
      asked_turn: z.number(),
      answered_turn: z.number().nullable(),
      on_topic: z.boolean(),
      reaction: z.enum(['answered', 'refused', 'ignored']),
    }),
  ),
  turns: z.array(verdictEntrySchema),
  rationale: rationaleSchema,
});

type Answer = z.infer<typeof answerSchema>;
type Pair = Answer['pairs'][number];

export const topicAdherence: JudgedType = {
  kind: 'judged',
  type: 'topic-adherence',
  summary: 'Does the assistant answer within its topics and refuse outside of them?',
  like: 'DeepEval',
  docs: {
    asks: 'Needs `topics`. The judge pairs each question of the user with the reaction to it: on topic or not, answered or refused.',
    score: '(on topic and answered + off topic and refused) ÷ pairs.',
    example:
      'three questions on topic are answered, one off topic is answered as well: 3 ÷ 4 = 0.75.',
    skipped: 'where the user asks nothing.',
    yaml: `
      topics: [orders, returns]
      defaults:
        assert:
          - type: topic-adherence
            threshold: 0.8
    `,
  },
  params: z.strictObject({}),
  defaultThreshold: 0.5,
  side: 'assistant',
  needs({ topics }) {
    if (topics.length > 0) return undefined;
    return 'topic-adherence needs the topics that the assistant may engage with: add `topics` to the case or the file.';
  },
  question(input): Question<Answer> | Outcome {
    const topics = input.facts.topics.map((topic) => fence(topic)).join('\n');
    return {
      name: 'topic_adherence',
      instructions: `${INSTRUCTIONS}\n\nThe topics:\n${topics}`,
      turns: input.turns,
      answer: answerSchema,
      mistakes: (answer) => [
        ...answer.pairs.flatMap((pair, index) => pairMistakes(pair, index + 1, input)),
        ...verdictMistakes(answer),
      ],
      parts: withWhole(answerSchema),
      conclude: (answer) => conclude(answer, input),
    };
  },
};

function adheres({ on_topic, reaction }: Pair): boolean {
  return on_topic ? reaction === 'answered' : reaction === 'refused';
}

function pairMistakes(
  { asked_turn, answered_turn, reaction }: Pair,
  number: number,
  input: AssertionInput,
): Mistake[] {
  const pair = `Pair ${number}`;
  return [
    ...citationMistakes(input, 'user', asked_turn, pair),
    ...citationMistakes(input, 'assistant', answered_turn, pair),
    ...(answered_turn !== null && answered_turn < asked_turn
      ? [contradiction(`${pair} cannot be answered in turn ${answered_turn}, before it was asked.`)]
      : []),
    ...(answered_turn === null && reaction !== 'ignored'
      ? [contradiction(`${pair} must name the turn in which it was ${reaction}.`)]
      : []),
  ];
}

function verdictMistakes({ pairs, turns }: Answer): Mistake[] {
  return turns
    .filter(({ applicable, verdict }) => applicable && verdict === 'pass')
    .filter(({ turn }) => pairs.some((one) => one.answered_turn === turn && !adheres(one)))
    .map(({ turn }) => {
      const text = `Turn ${turn} passes, but a pair says that it answered off topic or refused on topic.`;
      return contradiction(text);
    });
}

function conclude({ pairs, turns, rationale }: Answer, input: AssertionInput): Outcome {
  const verdicts = fromVerdictEntries(turns, input.turns);
  if (pairs.length === 0) {
    return notApplicable('no-pairs', `The user asked nothing. ${rationale}`, verdicts);
  }
  const good = pairs.filter(adheres);
  const bad = pairs.filter((pair) => !adheres(pair));
  const told = ({ on_topic, reaction, question }: Pair) =>
    `${on_topic ? 'on' : 'off'} topic, ${reaction}: ${question}`;
  const cite = (pair: Pair) => citing(pair.answered_turn ?? pair.asked_turn, told(pair));
  return {
    kind: 'scored',
    score: good.length / pairs.length,
    label: bad.length === 0 ? 'yes' : 'no',
    rationale,
    turns: verdicts,
    hits: good.map(cite),
    misses: bad.map(cite),
    details: { pairs },
  };
}
