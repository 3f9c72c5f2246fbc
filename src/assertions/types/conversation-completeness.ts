import * as z from 'zod';
import { turnsOf } from '../../core/conversation.ts';
import type { AssertionInput, Mistake } from '../contract.ts';
import { citationMistakes, contradiction } from '../shared/answerMistakes.ts';
import { citing, lookUpQuote, turnsAnswer, verdictSchema } from '../shared/entries.ts';
import { judgedType, type OwnQuestion } from '../shared/kinds.ts';
import { DELIVERED, ONE_BY_ONE, withFacts } from '../shared/questions.ts';

const INSTRUCTIONS = `Question: by the end of the conversation, was everything that the user wanted dealt with?

First list \`intentions\`, what the user wanted, with the turn that asked first. ${ONE_BY_ONE} An intention is satisfied if the
assistant answers it, does it, or refuses it with the reason. ${DELIVERED} \`satisfied_turn\` is the turn that satisfies it, else
null. \`evidence\` is from that turn, else from the one that asked.

Then judge each turn: it passes if it deals with what the user has asked for up to then, or moves it forward; it fails if it
leaves something open that was due, even next to what it delivers. It is not applicable if nothing that was asked for was
still open.`;

const intentionSchema = z.object({
  intention: z.string(),
  asked_turn: z.number(),
  evidence: z.string(),
  satisfied_turn: z.number().nullable(),
  satisfied: z.boolean(),
});

const answerSchema = turnsAnswer(
  { verdict: verdictSchema },
  { intentions: z.array(intentionSchema) },
);

export const conversationCompleteness = judgedType({
  type: 'conversation-completeness',
  summary: 'Was everything the user wanted dealt with?',
  like: 'DeepEval, MLflow',
  docs: {
    asks: 'The judge lists everything that the user wanted, with the turn that asked for it and the turn that satisfied it.',
    score: 'satisfied requests ÷ all requests. The label is `yes` if all are satisfied.',
    example:
      'the order was found and the address changed, but the refund was left open: 2 ÷ 3 = 0.67, label `no`.',
    skipped: 'if the user wanted nothing.',
    differences: `
      - If the user wanted nothing, DeepEval scores 1. Here the verdict is skipped.
      - MLflow answers yes or no. Here, yes is a score of 1, and for lower scores, the threshold decides.
    `,
    yaml: `
      - type: conversation-completeness
        threshold: 1
    `,
  },
  readsContext: true,
  question: (input): OwnQuestion<z.infer<typeof answerSchema>> => ({
    instructions: withFacts(input, INSTRUCTIONS),
    answer: answerSchema,
    mistakes: ({ intentions }) =>
      intentions.flatMap((one, index) => intentionMistakes(one, index + 1, input)),
    conclude({ intentions, rationale }) {
      if (intentions.length === 0) {
        return { reason: 'no-intentions', rationale: `The user wanted nothing. ${rationale}` };
      }
      const satisfied = intentions.filter((one) => one.satisfied);
      const open = intentions.filter((one) => !one.satisfied);
      const turns = turnsOf(input.conversation);
      return {
        score: satisfied.length / intentions.length,
        label: open.length === 0 ? 'yes' : 'no',
        hits: satisfied.map((one) => citing(one.satisfied_turn ?? one.asked_turn, one.intention)),
        misses: open.map((one) => citing(one.asked_turn, `never dealt with: ${one.intention}`)),
        details: {
          intentions: intentions.map((one) => ({
            ...one,
            evidence: lookUpQuote(turns, one.satisfied_turn ?? one.asked_turn, one.evidence),
          })),
        },
      };
    },
  }),
});

function intentionMistakes(
  { asked_turn, satisfied, satisfied_turn }: z.infer<typeof intentionSchema>,
  number: number,
  input: AssertionInput,
): Mistake[] {
  const intention = `Intention ${number}`;
  const asked = citationMistakes(input, 'user', asked_turn, intention);
  if (satisfied !== (satisfied_turn !== null)) {
    const text = `${intention} must name \`satisfied_turn\` exactly when it is satisfied.`;
    return [...asked, contradiction(text)];
  }
  const cited = citationMistakes(input, 'assistant', satisfied_turn, intention);
  if (cited.length > 0 || satisfied_turn === null || satisfied_turn >= asked_turn) {
    return [...asked, ...cited];
  }
  const text = `${intention} cannot be satisfied in turn ${satisfied_turn}, before it was asked for.`;
  return [...asked, contradiction(text)];
}
