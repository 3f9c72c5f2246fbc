import * as z from 'zod';
import { fence } from '../../core/text/visibleText.ts';
import type { AssertionInput, Mistake } from '../contract.ts';
import { citationMistakes, contradiction } from '../shared/answerMistakes.ts';
import { citing, turnsAnswer, verdictSchema } from '../shared/entries.ts';
import { judgedType, type OwnQuestion } from '../shared/kinds.ts';
import { ONE_BY_ONE } from '../shared/questions.ts';

const INSTRUCTIONS = `Question: does the assistant answer what belongs to its topics, and refuse what does not?

First list \`pairs\`, the user's questions and requests, with the turn that asks and the assistant's turn that reacts (null
if none does). ${ONE_BY_ONE} \`on_topic\`: whether a topic below covers it. \`reaction\`: \`answered\` if the assistant
deals with it, also in part; \`refused\` if it declines or leads back to its topics; else \`ignored\`.

Then judge each turn: it fails if it answers what is off topic, or refuses or ignores what is on topic, whatever else
it does; else it passes. It is not applicable if no pair concerns it.`;

const pairSchema = z.object({
  question: z.string(),
  asked_turn: z.number(),
  answered_turn: z.number().nullable(),
  on_topic: z.boolean(),
  reaction: z.enum(['answered', 'refused', 'ignored']),
});

const answerSchema = turnsAnswer({ verdict: verdictSchema }, { pairs: z.array(pairSchema) });

type Answer = z.infer<typeof answerSchema>;
type Pair = Answer['pairs'][number];

export const topicAdherence = judgedType({
  type: 'topic-adherence',
  summary: 'Does the assistant answer questions on its topics and refuse others?',
  like: 'DeepEval',
  docs: {
    asks: "Needs `topics`. For each of the user's questions, the judge decides whether it is on topic, and whether it was answered or refused.",
    score:
      '(questions on topic that were answered + questions off topic that were refused) ÷ all questions.',
    example: 'three questions on topic and one off topic are answered: 3 ÷ 4 = 0.75.',
    skipped: 'if the user asks nothing.',
    differences: `
      - If the user asks nothing, the verdict is skipped. DeepEval scores 0.
      - An answer on topic counts even if it is partial. DeepEval requires it to be correct.
      - An off-topic question counts only if the assistant refuses it, not if it ignores it. DeepEval's judge chooses between refused and answered.
    `,
    yaml: `
      topics: [orders, returns]
      defaults:
        assert:
          - type: topic-adherence
            threshold: 0.8
    `,
  },
  needs({ topics }) {
    if (topics.length > 0) return undefined;
    return 'topic-adherence needs the topics the assistant may discuss: add `topics` to the case or the file.';
  },
  question(input): OwnQuestion<Answer> {
    const topics = input.facts.topics.map((topic) => fence(topic)).join('\n');
    return {
      instructions: `${INSTRUCTIONS}\n\nThe topics:\n${topics}`,
      answer: answerSchema,
      mistakes: (answer) => [
        ...answer.pairs.flatMap((one, index) => pairMistakes(one, `Pair ${index + 1}`, input)),
        ...verdictMistakes(answer),
      ],
      conclude({ pairs, rationale }) {
        if (pairs.length === 0) {
          return { reason: 'no-pairs', rationale: `The user asked nothing. ${rationale}` };
        }
        const good = pairs.filter(adheres);
        const bad = pairs.filter((pair) => !adheres(pair));
        const cite = ({ on_topic, reaction, question, asked_turn, answered_turn }: Pair) => {
          const topic = on_topic ? 'on topic' : 'off topic';
          return citing(answered_turn ?? asked_turn, `${topic}, ${reaction}: ${question}`);
        };
        return {
          score: good.length / pairs.length,
          label: bad.length === 0 ? 'yes' : 'no',
          hits: good.map(cite),
          misses: bad.map(cite),
          details: { pairs },
        };
      },
    };
  },
});

function adheres({ on_topic, reaction }: Pair): boolean {
  return on_topic ? reaction === 'answered' : reaction === 'refused';
}

function pairMistakes(
  { asked_turn, answered_turn, reaction }: Pair,
  pair: string,
  input: AssertionInput,
): Mistake[] {
  const mistakes = [
    ...citationMistakes(input, 'user', asked_turn, pair),
    ...citationMistakes(input, 'assistant', answered_turn, pair),
  ];
  if (answered_turn !== null && answered_turn < asked_turn) {
    const text = `${pair} cannot be answered in turn ${answered_turn}, before it was asked.`;
    mistakes.push(contradiction(text));
  }
  if (answered_turn === null && reaction !== 'ignored') {
    mistakes.push(contradiction(`${pair} must name the turn in which it was ${reaction}.`));
  }
  return mistakes;
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
