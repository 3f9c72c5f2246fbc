import * as z from 'zod';
import { reaches, type Scale, shareOn, valueOn } from '../../core/scoring.ts';
import type { AssertionInput, JudgedType, Mistake, Outcome } from '../contract.ts';
import {
  fromVerdictEntries,
  hitsAndMisses,
  meanOfTurns,
  notApplicable,
  rationaleSchema,
  scoreEntrySchema,
  turnVerdicts,
  verdictEntrySchema,
  withWhole,
} from '../shared/entries.ts';
import { extremeMistakes, rangeMistake } from '../shared/mistakes.ts';
import { fillPrompt, PROMPT_VARIABLES } from '../shared/promptVariables.ts';

export const scaleSchema = z
  .tuple([z.number(), z.number()])
  .refine(([low, high]) => low < high, 'Give the lowest score first and the highest second.')
  .meta({ description: 'Lowest and highest score that the judge gives; `[0, 1]` unless given.' });

export const labelsSchema = z
  .array(z.string().min(1))
  .min(2)
  .meta({ description: 'The labels of which the judge chooses one.' });

const params = z.strictObject({
  prompt: z.string().min(1).optional().meta({
    description: 'Path of a judge prompt: Markdown with front matter, relative to this file.',
  }),
  instructions: z.string().min(1).optional().meta({
    description: 'The prompt itself, with the same variables, where a file is too much.',
  }),
  per_turn: z.boolean().optional().meta({
    description: 'True asks for a score on each turn; the mean is the score.',
  }),
  scale: scaleSchema.optional(),
  labels: labelsSchema.optional(),
});

const detailsSchema = z
  .array(z.object({ name: z.string(), value: z.string() }))
  .describe('Findings that the prompt asks for beyond the other fields; else empty.');

const VARIABLES = [
  ...Object.entries(PROMPT_VARIABLES).map(([name, { says }]) => `- \`{{${name}}}\`: ${says}`),
  "- `{{context.NAME}}`: The value of a key of the case's `context`.",
];

export const llmJudge: JudgedType = {
  kind: 'judged',
  type: 'llm-judge',
  summary: 'Your own judge: a Markdown prompt, per turn or over the whole.',
  like: 'AgentV, MLflow make_judge',
  docs: {
    asks: 'Asks what your prompt asks. With `per_turn` every judged turn gets a score on the `scale` and the mean counts; otherwise the judge gives one score, and a pass or fail for each turn. Scores are brought to 0..1. `details.scores_per_turn` keeps them.',
    score:
      '(value − lowest) ÷ (highest − lowest) of the `scale`; with `per_turn` the mean of that over the turns. A threshold above 1 is read on the scale: `threshold: 4`.',
    example: '`scale: [1, 5]` with `per_turn`, turns of 5, 4 and 3: (1 + 0.75 + 0.5) ÷ 3 = 0.75.',
    skipped: 'where, with `per_turn`, the prompt applies to no turn.',
    more: `Variables:\n${VARIABLES.join('\n')}`,
    yaml: `
      - type: llm-judge
        prompt: ./judges/context-retention.md
        required: true
    `,
  },
  params,
  scale: 'own',
  defaultThreshold: 0.5,
  side: 'assistant',
  takesPrompt: true,
  asPrompt: { key: 'instructions', body: (words) => words.trim() },
  question(input) {
    const { assertion } = input;
    const own = params.parse(assertion.params);
    const scale = own.scale ?? assertion.prompt?.scale ?? [0, 1];
    const labels = own.labels ?? assertion.prompt?.labels ?? [];
    const perTurn = own.per_turn ?? assertion.prompt?.perTurn ?? false;
    const template = assertion.prompt?.body ?? own.instructions ?? '';
    const body = fillPrompt(template, input);
    const asked = { input, scale, labels, body };
    return perTurn ? perTurnScores(asked) : overallScore(asked);
  },
};

interface Asked {
  readonly input: AssertionInput;
  readonly scale: Scale;
  readonly labels: readonly string[];
  readonly body: string;
}

function perTurnScores({ input, scale, labels, body }: Asked) {
  const { turns } = input;
  const [low, high] = scale;
  const answer = z.object({
    turns: z.array(scoreEntrySchema),
    ...labelShape(labels),
    details: detailsSchema,
    rationale: rationaleSchema,
  });
  const ask = `Give each turn a \`score\` from ${low} to ${high}.`;
  return {
    name: 'llm_judge_per_turn',
    instructions: [body, ask, labelling(labels)].filter(Boolean).join('\n\n'),
    turns,
    answer,
    parts: withWhole(answer),
    mistakes: (given: z.infer<typeof answer>): Mistake[] =>
      given.turns.flatMap(({ turn, applicable, score }) =>
        applicable ? rangeMistake(score, scale, `The score of turn ${turn}`) : [],
      ),
    conclude(given: z.infer<typeof answer>): Outcome {
      const verdicts = turnVerdicts(
        given.turns,
        turns,
        ({ score }) => shareOn(scale, score),
        ({ score }) => reaches(shareOn(scale, score), input.assertion.threshold),
      );
      const score = meanOfTurns(verdicts);
      if (score === undefined) return notApplicable('not-applicable', given.rationale, verdicts);
      return {
        kind: 'scored',
        score,
        ...labelOf(given),
        value: valueOn(scale, score),
        scale,
        rationale: given.rationale,
        turns: verdicts,
        ...hitsAndMisses(verdicts),
        details: {
          ...ownDetails(given.details),
          scores_per_turn: verdicts.map((entry) => entry.score),
          passing_turns: verdicts.filter(({ status }) => status === 'pass').length,
          total_turns: verdicts.length,
        },
      };
    },
  };
}

function overallScore({ input, scale, labels, body }: Asked) {
  const { turns } = input;
  const answer = z.object({
    turns: z.array(verdictEntrySchema),
    ...labelShape(labels),
    details: detailsSchema,
    rationale: rationaleSchema,
    score: z.number(),
  });
  const ask = `Say for each turn whether it passes, and give the whole a \`score\` from ${scale[0]} to ${scale[1]}.`;
  return {
    name: 'llm_judge',
    instructions: [body, ask, labelling(labels)].filter(Boolean).join('\n\n'),
    turns,
    answer,
    parts: withWhole(answer),
    mistakes: (given: z.infer<typeof answer>): Mistake[] => [
      ...rangeMistake(given.score, scale, '`score`'),
      ...extremeMistakes(given.turns, given.score, scale, '`score`'),
    ],
    conclude(given: z.infer<typeof answer>): Outcome {
      const verdicts = fromVerdictEntries(given.turns, turns);
      return {
        kind: 'scored',
        score: shareOn(scale, given.score),
        ...labelOf(given),
        value: given.score,
        scale,
        rationale: given.rationale,
        turns: verdicts,
        ...hitsAndMisses(verdicts),
        details: {
          ...ownDetails(given.details),
          scores_per_turn: verdicts.map((entry) => entry.score),
        },
      };
    },
  };
}

function labelShape(labels: readonly string[]) {
  return { label: labels.length === 0 ? z.null() : z.enum(labels) };
}

function labelling(labels: readonly string[]): string {
  return labels.length === 0
    ? '`label` is null.'
    : `Choose one \`label\` of: ${labels.join(', ')}.`;
}

function labelOf({ label }: { label: string | null }): { label?: string } {
  return label === null ? {} : { label };
}

/** Beside the program's own, which no answer can replace. */
function ownDetails(details: z.infer<typeof detailsSchema>): Record<string, string> {
  return Object.fromEntries(details.map(({ name, value }) => [name, value]));
}
