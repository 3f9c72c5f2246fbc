import * as z from 'zod';
import { turnsOf } from '../../core/conversation.ts';
import type { AssertionInput, Mistake } from '../contract.ts';
import { citationMistakes, contradiction } from '../shared/answerMistakes.ts';
import { citing, lookUpQuote } from '../shared/entries.ts';
import { judgedType } from '../shared/kinds.ts';
import { DELIVERED, listAnswer, listQuestion, ONE_BY_ONE, withFacts } from '../shared/questions.ts';

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

const INTENTIONS = listAnswer('intentions', intentionSchema);

type Intention = z.infer<typeof intentionSchema>;

export const conversationCompleteness = judgedType({
  type: 'conversation-completeness',
  summary: 'Was everything the user wanted dealt with?',
  like: 'DeepEval, MLflow',
  docs: {
    asks: 'The judge lists every intention of the user, with the turn that asked for it and the turn that satisfied it.',
    score: 'satisfied ÷ all intentions. The label is `yes` if all are satisfied.',
    example: 'order found, address changed, refund left open: 2 ÷ 3 = 0.67, label `no`.',
    skipped: 'if the user wanted nothing.',
    differences: `
      - If the user wanted nothing, DeepEval scores 1. Here the verdict is skipped.
      - MLflow answers yes or no. Yes is a score of 1 here; below that, the threshold decides.
    `,
    yaml: `
      - type: conversation-completeness
        threshold: 1
    `,
  },
  readsContext: true,
  question: (input) =>
    listQuestion(input, {
      instructions: withFacts(input, INSTRUCTIONS),
      list: INTENTIONS,
      mistakes: (intention, number) => intentionMistakes(intention, number, input),
      none: 'The user wanted nothing.',
      conclude: (intentions) => conclude(intentions, input),
    }),
});

function intentionMistakes(
  { asked_turn, satisfied, satisfied_turn }: Intention,
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

function conclude(intentions: readonly Intention[], { conversation }: AssertionInput) {
  const satisfied = intentions.filter((one) => one.satisfied);
  const open = intentions.filter((one) => !one.satisfied);
  const all = turnsOf(conversation);
  const details = intentions.map((one) => {
    const quoted = all.find((turn) => turn.number === (one.satisfied_turn ?? one.asked_turn));
    return { ...one, evidence: quoted && lookUpQuote(quoted, one.evidence) };
  });
  return {
    score: satisfied.length / intentions.length,
    hits: satisfied.map((one) => citing(one.satisfied_turn ?? one.asked_turn, one.intention)),
    misses: open.map((one) => citing(one.asked_turn, `never dealt with: ${one.intention}`)),
    details,
  };
}
