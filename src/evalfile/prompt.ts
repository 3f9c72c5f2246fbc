import * as z from 'zod';
import { contextKey, PROMPT_VARIABLES } from '../assertions/shared/promptVariables.ts';
import { labelsSchema, scaleSchema } from '../assertions/types/llm-judge.ts';
import { nearest } from '../core/closest.ts';
import type { Problem, Range } from '../core/problem.ts';
import { isError } from '../core/problem.ts';
import type { JudgePrompt } from '../core/suite.ts';
import { templateVariables } from '../core/template.ts';
import { parseYaml, type YamlDocument } from '../yaml/yamlDocument.ts';
import { checked } from './checked.ts';
import { readThreshold } from './threshold.ts';

/** The front matter of a judge prompt. */
export const frontMatterSchema = z.strictObject({
  name: z.string().min(1).optional().meta({ description: "Label; the file's name unless given." }),
  description: z.string().optional().meta({ description: 'What the judge looks at.' }),
  scale: scaleSchema.optional(),
  labels: labelsSchema.optional(),
  threshold: z.number().optional().meta({
    description:
      'Score needed to pass where the assertion names none: 0..1, or in the scale where greater than 1.',
  }),
  per_turn: z.boolean().optional().meta({
    description: 'True asks for a score on each turn; the mean is the score.',
  }),
  model: z.string().min(1).optional().meta({
    description: 'The model that judges: a name in `models`, or `provider:model`.',
  }),
  variables: z.array(z.string().min(1)).optional().meta({
    description: "Keys of the case's `context` that the prompt needs, for `{{context.NAME}}`.",
  }),
});

export interface LoadedPrompt {
  /** Absent where the prompt has an error. */
  readonly prompt?: Omit<JudgePrompt, 'model'>;
  /** As written; resolved by the suite. */
  readonly model?: string;
  /** Keys of `context` that it uses. */
  readonly needs: readonly string[];
  readonly problems: readonly Problem[];
  /** The front matter, its places those of the file. */
  readonly document: YamlDocument;
  /** The variables in its text and where their names stand, within the braces. */
  readonly variables: readonly { readonly name: string; readonly range: Range }[];
}

const VARIABLES = Object.keys(PROMPT_VARIABLES);

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?^---[ \t]*(?:\r?\n|$)/m;

/** Reads a judge prompt: Markdown with front matter. */
export function loadPrompt(text: string, path: string): LoadedPrompt {
  const match = text.startsWith('---') ? FRONT_MATTER.exec(text) : null;
  const bodyStart = match ? match[0].length : 0;
  // Same length and lines as the file, so that places in it are places in the file.
  const matter = match ? `   ${text.slice(3, match[0].lastIndexOf('---'))}` : '';
  const document = parseYaml(matter, path);
  const body = text.slice(bodyStart);
  const value = document.value ?? {};
  const whole = parseYaml(text.replace(/[^\r\n]/g, ' '), path);
  const problems = [
    ...document.problems,
    ...(document.problems.length > 0 ? [] : checked(frontMatterSchema, value, document).problems),
    ...bodyProblems(body, (start, end) => ({
      path,
      range: whole.rangeOfOffsets(bodyStart + start, bodyStart + end),
    })),
  ];
  const variables = templateVariables(body).map(({ name, offset }) => {
    const start = bodyStart + body.indexOf(name, offset);
    return { name, range: whole.rangeOfOffsets(start, start + name.length) };
  });
  const used = variables.map(({ name }) => name);
  const read = frontMatterSchema.safeParse(value);
  const names = read.success ? (read.data.variables ?? []) : [];
  const needs = [...new Set([...names, ...used.flatMap((name) => contextKey(name) ?? [])])];
  const { scale = [0, 1], threshold: written } = read.success ? read.data : {};
  const threshold = written === undefined ? undefined : readThreshold(written, scale);
  if (threshold?.problem) {
    problems.push({ ...threshold.problem, path, range: document.rangeOf(['threshold']) });
  }
  if (!read.success || problems.some(isError)) return { needs, problems, document, variables };
  const { name, description, labels, per_turn, model } = read.data;
  return {
    needs,
    problems,
    document,
    variables,
    ...(model !== undefined && { model }),
    prompt: {
      path,
      scale,
      labels: labels ?? [],
      perTurn: per_turn ?? false,
      body: body.trim(),
      bodyRange: whole.rangeOfOffsets(bodyStart, text.length),
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(threshold?.share !== undefined && { threshold: threshold.share }),
    },
  };
}

type Place = (
  start: number,
  end: number,
) => Pick<Problem, 'path' | 'range'> & {
  /** The piece itself could not be found: what is placed is the whole text. */
  readonly whole?: boolean;
};

/** The rules of a prompt's text; also for `instructions` that stand in an eval file. */
export function bodyProblems(body: string, place: Place): Problem[] {
  const variables = templateVariables(body);
  const problems: Problem[] = [];
  for (const { name, offset, length } of variables) {
    if (VARIABLES.includes(name) || contextKey(name) !== undefined) continue;
    const [meant, ...others] = nearest(name, VARIABLES);
    const { whole = false, ...where } = place(offset, offset + length);
    const hint = meant
      ? `Did you mean {{${meant}}}?`
      : `Known: ${VARIABLES.join(', ')}, context.NAME.`;
    problems.push({
      code: 'unknown-variable',
      message: `There is no variable {{${name}}}. ${hint}`,
      severity: 'error',
      ...where,
      ...(meant !== undefined && !whole && { replacement: `{{${meant}}}` }),
      ...(others.length > 0 &&
        !whole && { fix: { alternatives: others.map((other) => `{{${other}}}`) } }),
    });
  }
  if (!variables.some(({ name }) => PROMPT_VARIABLES[name]?.isConversation)) {
    const firstLine = body.split(/\r?\n/, 1)[0]?.length ?? 0;
    const { path, range } = place(0, firstLine);
    problems.push({
      code: 'no-conversation',
      message: 'The prompt never refers to the conversation. Put {{conversation}} into it.',
      severity: 'error',
      path,
      range,
    });
  }
  return problems;
}
