import * as z from 'zod';
import {
  type Grading,
  type Scale,
  shareOnScale,
  UNIT_SCALE,
  valueOnScale,
} from '../../core/scoring.ts';
import type { TurnVerdict } from '../../core/verdict.ts';
import type { Mistake } from '../contract.ts';
import { contradiction, extremeMistakes, rangeMistake } from '../shared/answerMistakes.ts';
import {
  entrySchema,
  meanOfTurns,
  rationaleSchema,
  verdictEntrySchema,
} from '../shared/entries.ts';
import {
  detailsFaults,
  detailsKey,
  detailsSchemaOf,
  gradingFaults,
  gradingKeys,
  readDetails,
  scaleOfGrading,
  writtenGrading,
} from '../shared/grading.ts';
import { judgedType, type OwnQuestion } from '../shared/kinds.ts';
import { fillPrompt, PROMPT_VARIABLES } from '../shared/promptVariables.ts';

const UNGRADED: Grading = { kind: 'scale', scale: UNIT_SCALE };

const params = z.strictObject({
  prompt: z.string().min(1).optional().meta({
    description: 'Path of a judge prompt: Markdown with front matter, relative to this file.',
    file: 'prompt',
  }),
  instructions: z.string().min(1).optional().meta({
    description: 'The prompt itself, instead of a file, with the same variables.',
    template: 'judge',
  }),
  per_turn: z.boolean().optional().meta({
    description: 'If true, the judge scores each turn, and the mean is the score.',
  }),
  ...gradingKeys,
  details: detailsKey.optional(),
});

const VARIABLES = [
  ...Object.entries(PROMPT_VARIABLES).map(([name, { says }]) => `- \`{{${name}}}\`: ${says}`),
  "- `{{context.NAME}}`: The value of a key of the case's `context`.",
];

export const llmJudge = judgedType({
  type: 'llm-judge',
  summary: 'Your own judge, with a Markdown prompt about each turn or the whole conversation.',
  like: 'AgentV, MLflow make_judge',
  docs: {
    asks: 'The judge reads the conversation and then your prompt. It answers with a number on the `scale`, or with one of the `labels`, each of which has a score. With `per_turn`, every judged turn is graded, and the score is the mean. Otherwise, the whole conversation is graded, and each turn passes or fails. In the record, `details` contains the properties that you ask for, and `scores_per_turn` contains the score of each turn, from 0 to 1.',
    score:
      '(value − lowest) ÷ (highest − lowest) of the `scale`, or the score of the label in `labels`; with `per_turn`, the mean over the turns. A threshold above 1 is a value on the scale: `threshold: 4`.',
    example:
      'with `scale: [1, 5]` and `per_turn`, three turns get 5, 4, and 3: (1 + 0.75 + 0.5) ÷ 3 = 0.75.',
    skipped: 'if, with `per_turn`, the prompt applies to no turn.',
    more: `Variables:\n${VARIABLES.join('\n')}`,
    differences: `
      - You set the score of each label. MLflow's judges return only the label, and AgentV's only the score.
      - Pass or fail follows from the score and the threshold, never from the judge.
    `,
    yaml: `
      - type: llm-judge
        prompt: ./judges/context-retention.md
        required: true
      - type: llm-judge
        name: tone
        instructions: How does the assistant treat the user?
        labels: { polite: 1, neutral: 0.5, impolite: 0 }
    `,
  },
  params,
  scale: 'own',
  takesPrompt: true,
  asPrompt: { key: 'instructions', body: (words) => words.trim() },
  faults: (given) => [...gradingFaults(given), ...detailsFaults(given)],
  question(input, own) {
    const { prompt } = input.assertion;
    const asked = {
      grading: writtenGrading(own) ?? prompt?.grading ?? UNGRADED,
      details: detailsSchemaOf(own.details ?? prompt?.details),
      body: fillPrompt(prompt?.body ?? own.instructions ?? '', input),
    };
    return (own.per_turn ?? prompt?.perTurn) ? perTurnGrades(asked) : overallGrade(asked);
  },
});

interface PreparedPrompt {
  readonly grading: Grading;
  readonly details: z.ZodType;
  readonly body: string;
}

function perTurnGrades({ grading, details, body }: PreparedPrompt) {
  const entry = entrySchema.extend(
    grading.kind === 'labels'
      ? { label: z.enum(Object.keys(grading.labels)).nullable() }
      : { score: z.number() },
  );
  const answer = z.object({ turns: z.array(entry), details, rationale: rationaleSchema });
  const question: OwnQuestion<z.infer<typeof answer>> = {
    name: 'llm_judge_per_turn',
    instructions: `${body}\n\nGive each turn a ${graded(grading)}.`,
    answer,
    mistakes: (given) =>
      given.turns
        .filter(({ applicable }) => applicable)
        .flatMap((entry) => gradeMistakes(entry, grading, `of turn ${entry.turn}`)),
    scoreOf: (grade) => shareBy(grading, grade),
    conclude(given, verdicts) {
      const turns = verdicts.map((one) => addLabel(one, given.turns));
      const score = meanOfTurns(turns);
      if (score === undefined) return { reason: 'not-applicable', turns };
      return {
        score,
        turns,
        ...(grading.kind === 'scale' && {
          value: valueOnScale(grading.scale, score),
          scale: grading.scale,
        }),
        details: {
          // Turnlight's own keys come last, so that an answer can't replace them.
          ...readDetails(given.details),
          scores_per_turn: turns.map((one) => one.score),
          passing_turns: turns.filter(({ status }) => status === 'pass').length,
          total_turns: turns.length,
        },
      };
    },
  };
  return question;
}

function overallGrade({ grading, details, body }: PreparedPrompt) {
  const common = { turns: z.array(verdictEntrySchema), details, rationale: rationaleSchema };
  const answer =
    grading.kind === 'labels'
      ? z.object({ ...common, label: z.enum(Object.keys(grading.labels)) })
      : z.object({ ...common, score: z.number() });
  const ask = `Say for each turn whether it passes, and give the whole a ${graded(grading)}.`;
  const question: OwnQuestion<z.infer<typeof answer>> = {
    instructions: `${body}\n\n${ask}`,
    answer,
    ...(grading.kind === 'labels' && { outcomes: grading.labels }),
    mistakes: (given) => [
      ...gradeMistakes(given, grading, 'of the whole'),
      ...extremeMistakes(
        given.turns,
        'label' in given ? shareBy(grading, given) : given.score,
        extremesOf(grading),
        'label' in given ? `The score of \`${given.label}\`` : '`score`',
      ),
    ],
    conclude: (given, turns) => ({
      score: shareBy(grading, given),
      ...('label' in given && { label: given.label }),
      ...('score' in given && { value: given.score, scale: scaleOfGrading(grading) }),
      details: { ...readDetails(given.details), scores_per_turn: turns.map((one) => one.score) },
    }),
  };
  return question;
}

/** A judge's grade. A label is null if the question doesn't apply to the turn. */
type Grade = { readonly score: number } | { readonly label: string | null };

/** Words that follow "give each turn a". */
function graded(grading: Grading): string {
  if (grading.kind === 'scale') return `\`score\` from ${grading.scale.join(' to ')}`;
  return `\`label\`, one of: ${Object.keys(grading.labels).join(', ')}`;
}

/** The grade as a share, 0..1. A label's score comes from the assertion, never from the judge. */
function shareBy(grading: Grading, given: Grade): number {
  if (grading.kind === 'scale' && 'score' in given) return shareOnScale(grading.scale, given.score);
  const { label } = { label: null, ...given };
  const share = grading.kind === 'labels' && label !== null ? grading.labels[label] : undefined;
  if (share === undefined) throw new Error('Internal error: the grade has no score.');
  return share;
}

function extremesOf(grading: Grading): Scale {
  if (grading.kind === 'scale') return grading.scale;
  const scores = Object.values(grading.labels);
  return [Math.min(...scores), Math.max(...scores)];
}

/** Adds the label to the turn, and to its rationale so that it is shown everywhere. */
function addLabel(
  verdict: TurnVerdict,
  entries: readonly ({ readonly turn: number } & Grade)[],
): TurnVerdict {
  const entry = entries.find(({ turn }) => turn === verdict.turn);
  if (!entry || !('label' in entry) || entry.label === null) return verdict;
  const { label } = entry;
  return { ...verdict, label, rationale: `${label}: ${verdict.rationale}` };
}

function gradeMistakes(given: Grade, grading: Grading, whose: string): Mistake[] {
  if ('label' in given) {
    return given.label === null ? [contradiction(`The \`label\` ${whose} is missing.`)] : [];
  }
  return rangeMistake(given.score, scaleOfGrading(grading), `The score ${whose}`);
}
