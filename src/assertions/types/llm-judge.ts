import * as z from 'zod';
import { textOf, turnsOf } from '../../core/conversation.ts';
import { fence } from '../../core/fence.ts';
import { reaches } from '../../core/scoring.ts';
import { renderTemplate } from '../../core/template.ts';
import type { AssertionInput, JudgedType, Mistake, Outcome, Scale } from '../contract.ts';
import {
  extremeMistakes,
  fromVerdictEntries,
  hitsAndMisses,
  meanOfTurns,
  notApplicable,
  numbersOf,
  rangeMistake,
  rationaleSchema,
  scoreEntrySchema,
  turnVerdicts,
  verdictEntrySchema,
  withWhole,
} from '../shared/entries.ts';

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
    more: 'Variables: `{{conversation}}`, `{{output}}` (the same), `{{last_reply}}`, `{{expectations}}`, `{{role}}`, `{{topics}}`, `{{tools}}`, `{{turn}}`, `{{context.NAME}}`.',
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
  question(input) {
    const { assertion } = input;
    const own = params.parse(assertion.params);
    const scale = own.scale ?? assertion.prompt?.scale ?? [0, 1];
    const labels = own.labels ?? assertion.prompt?.labels ?? [];
    const perTurn = own.per_turn ?? assertion.prompt?.perTurn ?? false;
    const template = assertion.prompt?.body ?? own.instructions ?? '';
    const body = renderTemplate(template, (name) => variable(name, input));
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
    mistakes: (given: z.infer<typeof answer>): Mistake[] => [
      ...given.turns.flatMap(({ turn, applicable, score }) =>
        applicable ? rangeMistake(score, scale, `The score of turn ${turn}`) : [],
      ),
    ],
    conclude(given: z.infer<typeof answer>): Outcome {
      const verdicts = turnVerdicts(
        given.turns,
        turns,
        ({ score }) => normalise(score, scale),
        ({ score }) => reaches(normalise(score, scale), input.assertion.threshold),
      );
      const score = meanOfTurns(verdicts);
      if (score === undefined) return notApplicable('not-applicable', given.rationale, verdicts);
      return {
        kind: 'scored',
        score,
        ...labelOf(given),
        value: low + score * (high - low),
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
        score: normalise(given.score, scale),
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

function normalise(score: number, [low, high]: Scale): number {
  return (score - low) / (high - low);
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

/** Values come from files and agents: they stand behind a fence, on lines of their own. */
function variable(name: string, input: AssertionInput): string | undefined {
  const { conversation, turns, facts } = input;
  const fenced = (text: string) => `\n${fence(text)}\n`;
  if (name.startsWith('context.')) {
    const key = name.slice('context.'.length);
    return Object.hasOwn(facts.context, key) ? fenced(textual(facts.context[key])) : undefined;
  }
  switch (name) {
    case 'conversation':
    case 'output':
      return 'the conversation above';
    case 'last_reply': {
      const last = turnsOf(conversation).findLast(({ side }) => side === 'assistant');
      return fenced(last ? textOf(last) : '(the assistant said nothing)');
    }
    case 'expectations':
      return fenced(expectationsOf(facts.expectations));
    case 'role':
      return fenced(facts.role ?? '(no role is given)');
    case 'topics':
      return fenced(facts.topics.length === 0 ? '(no topics are given)' : facts.topics.join('\n'));
    case 'tools':
      return fenced(facts.tools.length === 0 ? '(no tools)' : JSON.stringify(facts.tools, null, 2));
    case 'turn':
      return numbersOf(turns);
    default:
      return undefined;
  }
}

function expectationsOf(expectations: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(expectations).map(([key, value]) => `${key}: ${textual(value)}`);
  return lines.length === 0 ? '(no expectations are given)' : lines.join('\n');
}

function textual(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}
