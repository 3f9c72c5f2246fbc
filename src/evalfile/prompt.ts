import * as z from 'zod';
import {
  detailsFaults,
  detailsKey,
  gradingFaults,
  gradingKeys,
  scaleOfGrading,
  writtenGrading,
} from '../assertions/shared/grading.ts';
import { contextKey, PROMPT_VARIABLES } from '../assertions/shared/promptVariables.ts';
import { errorAt, isError, type Problem, type Range, suggestionsOf } from '../core/problem.ts';
import { UNIT_SCALE } from '../core/scoring.ts';
import type { JudgePrompt } from '../core/suite.ts';
import { nearest } from '../core/text/closest.ts';
import { templateVariables } from '../core/text/template.ts';
import { parseYaml, type YamlDocument } from '../yaml/yamlDocument.ts';
import { checkValue } from './checkValue.ts';
import { optional, text } from './optionalKey.ts';
import { readThreshold } from './threshold.ts';

export const frontMatterSchema = z.strictObject({
  name: optional(text(), 'Display name. Default: the file name.'),
  description: optional(z.string(), 'What this judge evaluates.'),
  ...gradingKeys,
  details: detailsKey.optional(),
  threshold: optional(
    z.number(),
    "Score needed to pass, from 0 to 1, unless the assertion sets its own. A value above 1 is on the prompt's `scale`.",
  ),
  per_turn: optional(
    z.boolean(),
    'If true, the judge scores each turn, and the mean is the score.',
  ),
  model: optional(text(), 'The model that judges: a name in `models`, or `provider:model`.', {
    refersTo: 'model',
  }),
  variables: optional(
    z.array(text().meta({ declares: 'variable' })),
    "Keys that the case's `context` must have, for `{{context.NAME}}`.",
  ),
});

export interface LoadedPrompt {
  /** Absent if the prompt has errors. */
  readonly prompt?: Omit<JudgePrompt, 'model'>;
  /** The model as written; the suite resolves it. */
  readonly model?: string;
  readonly needs: readonly string[];
  readonly problems: readonly Problem[];
  /** The front matter, with ranges in the file. */
  readonly document: YamlDocument;
  /** The variables in its text, with the ranges of their names. */
  readonly variables: readonly { readonly name: string; readonly range: Range }[];
}

const VARIABLES = Object.keys(PROMPT_VARIABLES);

const FRONT_MATTER = /^---[ \t]*\r?\n(?:[\s\S]*?\n)?---[ \t]*(?:\r?\n|$)/;

/** Reads a judge prompt: Markdown with front matter. */
export function loadPrompt(text: string, path: string): LoadedPrompt {
  const match = text.startsWith('---') ? FRONT_MATTER.exec(text) : null;
  const bodyStart = match ? match[0].length : 0;
  // Has the same offsets as the original file.
  const matter = match ? `   ${text.slice(3, match[0].lastIndexOf('---'))}` : '';
  const document = parseYaml(matter, path);
  const body = text.slice(bodyStart);
  const value = document.value ?? {};
  const whole = parseYaml(text.replace(/[^\r\n]/g, ' '), path);
  const isReadable = document.problems.length === 0;
  const problems = [
    ...document.problems,
    ...(isReadable ? checkValue(frontMatterSchema, value, document).problems : []),
    ...bodyProblems(body, path, (start, end) => ({
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
  const { threshold: written, ...matterRead } = read.success ? read.data : {};
  const faults = [...gradingFaults(matterRead), ...detailsFaults(matterRead)];
  for (const { path: at, message } of faults) {
    problems.push(errorAt(path, document.keyRangeOf(at), 'bad-value', message));
  }
  const grading = writtenGrading(matterRead) ?? { kind: 'scale', scale: UNIT_SCALE };
  const threshold =
    written === undefined ? undefined : readThreshold(written, scaleOfGrading(grading));
  if (threshold?.problem) {
    problems.push({ ...threshold.problem, path, range: document.rangeOf(['threshold']) });
  }
  if (!read.success || problems.some(isError)) return { needs, problems, document, variables };
  const { name, description, details, per_turn, model } = read.data;
  return {
    needs,
    problems,
    document,
    variables,
    ...(model !== undefined && { model }),
    prompt: {
      path,
      grading,
      perTurn: per_turn ?? false,
      body: body.trim(),
      bodyRange: whole.rangeOfOffsets(bodyStart, text.length),
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(details && { details }),
      ...(threshold?.share !== undefined && { threshold: threshold.share }),
    },
  };
}

/** Returns a version of `loadPrompt` that caches its results. */
export function promptReader(): typeof loadPrompt {
  const known = new Map<string, { readonly text: string; readonly loaded: LoadedPrompt }>();
  return (text, path) => {
    const before = known.get(path);
    if (before?.text === text) return before.loaded;
    const loaded = loadPrompt(text, path);
    known.set(path, { text, loaded });
    return loaded;
  };
}

/**
 * Checks the text of a prompt, or of `instructions` in an eval file.
 *
 * @param locate returns the range of a piece of text; if it can't locate the piece, it returns the whole text's range
 * and sets `whole`
 */
export function bodyProblems(
  body: string,
  path: string,
  locate: (start: number, end: number) => { readonly range: Range; readonly whole?: boolean },
): Problem[] {
  const variables = templateVariables(body);
  const problems: Problem[] = [];
  for (const { name, offset, length } of variables) {
    if (VARIABLES.includes(name) || contextKey(name) !== undefined) continue;
    const near = nearest(name, VARIABLES).map((one) => `{{${one}}}`);
    const { whole = false, range } = locate(offset, offset + length);
    const known = `Known: ${VARIABLES.join(', ')}, context.NAME.`;
    const hint = near[0] === undefined ? known : `Did you mean ${near[0]}?`;
    const message = `There is no variable {{${name}}}. ${hint}`;
    const problem = errorAt(path, range, 'unknown-variable', message);
    problems.push({ ...problem, ...suggestionsOf(whole ? [] : near) });
  }
  if (body.trim() === '') {
    const { range } = locate(0, 0);
    const message = 'The prompt is empty. Write what the judge should evaluate.';
    problems.push(errorAt(path, range, 'empty-prompt', message));
  }
  return problems;
}
