import * as z from 'zod';
import { turnsOfSide } from '../../core/conversation.ts';
import { lookUpQuote } from '../../core/quote.ts';
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

const INSTRUCTIONS = `Question: by the end of the conversation, is everything that the user wanted dealt with?

First list \`intentions\`: each thing that the user wanted, one by one, also where one message holds several, with the
turn that asked for it first. A wish that is asked again is the same one; greetings, thanks and goodbyes are none. It is
satisfied when the assistant answers it, does it, or refuses it with the reason; \`satisfied_turn\` is the turn that
does, else null. A promise to look into it, a counter-question or an answer to something else satisfies nothing.
\`evidence\` is from the turn that satisfied it, else from the one that asked.

Then judge each turn: it passes when it deals with what the user has asked for up to then, or moves it forward; it
fails when it leaves something open that was due. It is not applicable where nothing is asked for.`;

const answerSchema = z.object({
  intentions: z.array(
    z.object({
      intention: z.string(),
      asked_turn: z.number(),
      satisfied: z.boolean(),
      satisfied_turn: z.number().nullable(),
      evidence: z.string(),
    }),
  ),
  turns: z.array(verdictEntrySchema),
  rationale: rationaleSchema,
});

type Answer = z.infer<typeof answerSchema>;

export const conversationCompleteness: JudgedType = {
  kind: 'judged',
  type: 'conversation-completeness',
  summary: 'Is everything that the user wanted dealt with?',
  like: 'DeepEval, MLflow',
  docs: {
    asks: 'The judge lists every intention of the user, with the turn that asked for it and the turn that satisfied it.',
    score: 'satisfied ÷ all intentions. The label is `yes` when all are satisfied.',
    example: 'order found, address changed, refund left open: 2 ÷ 3 = 0.67, label `no`.',
    skipped: 'where the user wanted nothing.',
    yaml: `
      - type: conversation-completeness
        threshold: 1
    `,
  },
  params: z.strictObject({}),
  defaultThreshold: 0.5,
  side: 'assistant',
  question(input): Question<Answer> | Outcome {
    return {
      name: 'conversation_completeness',
      instructions: INSTRUCTIONS,
      turns: input.turns,
      answer: answerSchema,
      mistakes: (answer) =>
        answer.intentions.flatMap((one, index) => intentionMistakes(one, index + 1, input)),
      parts: withWhole(answerSchema),
      conclude: (answer) => conclude(answer, input),
    };
  },
};

function intentionMistakes(
  { asked_turn, satisfied, satisfied_turn }: Answer['intentions'][number],
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

function conclude({ intentions, turns, rationale }: Answer, input: AssertionInput) {
  const verdicts = fromVerdictEntries(turns, input.turns);
  if (intentions.length === 0) {
    return notApplicable('no-intentions', `The user wanted nothing. ${rationale}`, verdicts);
  }
  const satisfied = intentions.filter((one) => one.satisfied);
  const open = intentions.filter((one) => !one.satisfied);
  const all = [
    ...turnsOfSide(input.conversation, 'user'),
    ...turnsOfSide(input.conversation, 'assistant'),
  ];
  const details = intentions.map((one) => {
    const quoted = all.find((turn) => turn.number === (one.satisfied_turn ?? one.asked_turn));
    return { ...one, evidence: quoted && lookUpQuote(quoted, one.evidence) };
  });
  return {
    kind: 'scored' as const,
    score: satisfied.length / intentions.length,
    label: open.length === 0 ? 'yes' : 'no',
    rationale,
    turns: verdicts,
    hits: satisfied.map((one) => citing(one.satisfied_turn ?? one.asked_turn, one.intention)),
    misses: open.map((one) => citing(one.asked_turn, `never dealt with: ${one.intention}`)),
    details: { intentions: details },
  };
}
