import * as z from 'zod';
import { pushAll } from '../../core/data/data.ts';
import { fence } from '../../core/text/visibleText.ts';
import type { AssertionInput, Mistake } from '../contract.ts';
import { contradiction, judgedTurnMistakes, listMistakes } from '../shared/answerMistakes.ts';
import { citing, turnsAnswer, verdictSchema } from '../shared/entries.ts';
import { judgedType, type OwnQuestion } from '../shared/kinds.ts';
import { withFacts } from '../shared/questions.ts';

const INSTRUCTIONS = `Question: does the assistant keep to each of the guidelines below throughout the conversation?

Judge every guideline on its own: \`met\`, \`violated\`, or \`not-applicable\` if the situation that it speaks of
never comes up. One violation is enough, and to keep half of it is to violate it. \`violated_in\` lists the assistant's
turns that violate it, else it is empty; a guideline that demands something is violated in the turn in which it was due.

Then judge each turn: it fails if some guideline lists it, else it passes. It is not applicable if no guideline
bears on it.`;

const params = z.strictObject({
  guidelines: z
    .array(z.string().min(1))
    .min(1)
    .meta({ description: 'The rules that the assistant must follow, one sentence each.' }),
});

const guidelineSchema = z.object({
  guideline: z.number(),
  rationale: z.string(),
  violated_in: z.array(z.number()),
  outcome: z.enum(['met', 'violated', 'not-applicable']),
});

const answerSchema = turnsAnswer(
  { verdict: verdictSchema },
  { guidelines: z.array(guidelineSchema) },
);

type Answer = z.infer<typeof answerSchema>;

export const guidelines = judgedType({
  type: 'guidelines',
  summary: 'Does the assistant follow each of these rules?',
  like: 'MLflow',
  docs: {
    asks: 'For each guideline, the judge decides whether it was met, violated, or not applicable, and in which turns.',
    score: 'guidelines met ÷ applicable guidelines. The label is `yes` only if all are met.',
    example: "of six guidelines, one doesn't apply and one is violated: 4 ÷ 5 = 0.8, label `no`.",
    skipped: 'if no guideline applies.',
    differences: `
      - MLflow answers yes or no. Here, the score is the share of applicable guidelines that were met. Yes is a score of 1, which is also the default threshold.
      - If no guideline applies, the verdict is skipped.
    `,
    yaml: `
      - type: guidelines
        guidelines:
          - Greet the customer by name if the name is known.
          - Never promise a date for a refund.
    `,
  },
  params,
  defaultThreshold: 1,
  readsContext: true,
  question(input, { guidelines: rules }): OwnQuestion<Answer> {
    const list = rules.map((rule, index) => `Guideline ${index + 1}:\n${fence(rule)}`).join('\n');
    return {
      instructions: withFacts(input, `${INSTRUCTIONS}\n\n${list}`),
      answer: answerSchema,
      mistakes: (answer) => [
        ...listMistakes(
          'guidelines',
          answer.guidelines.map((one) => one.guideline),
          rules.length,
        ),
        ...violationMistakes(answer, input),
      ],
      // If there are several guidelines, some can be met and others not.
      ...(rules.length === 1 && { outcomes: { met: 1, violated: 0 } }),
      conclude(answer) {
        const judged = rules.map((rule, index) => ({
          rule,
          ...answer.guidelines.find(({ guideline }) => guideline === index + 1),
        }));
        const met = judged.filter(({ outcome }) => outcome === 'met');
        const violated = judged.filter(({ outcome }) => outcome === 'violated');
        const applicable = met.length + violated.length;
        if (applicable === 0) return { reason: 'not-applicable' };
        const last = input.turns.at(-1)?.number ?? 0;
        return {
          score: met.length / applicable,
          label: violated.length === 0 ? 'yes' : 'no',
          hits: met.map(({ rule }) => citing(last, `followed throughout: ${rule}`)),
          misses: violated.flatMap(({ rule, violated_in, rationale }) =>
            [...new Set(violated_in)].map((turn) =>
              citing(turn, `violates “${rule}” ${rationale}`),
            ),
          ),
          details: { guidelines: judged },
        };
      },
    };
  },
});

function violationMistakes(
  { guidelines: judged, turns }: Answer,
  input: AssertionInput,
): Mistake[] {
  const mistakes: Mistake[] = [];
  for (const { guideline, outcome, violated_in } of judged) {
    if ((outcome === 'violated') !== violated_in.length > 0) {
      const text = `Guideline ${guideline} must list turns exactly when it is violated.`;
      mistakes.push(contradiction(text));
    }
    for (const turn of violated_in) {
      pushAll(mistakes, judgedTurnMistakes(input, turn, `Guideline ${guideline}`));
    }
  }
  const violating = new Set(judged.flatMap(({ violated_in }) => violated_in));
  for (const { turn, applicable, verdict } of turns) {
    if ((applicable && verdict === 'fail') === violating.has(turn)) continue;
    const text = `Turn ${turn} must fail exactly when some guideline lists it as violating.`;
    mistakes.push(contradiction(text));
  }
  return mistakes;
}
