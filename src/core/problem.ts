import * as z from 'zod';
import { groupBy, type Path } from './data/data.ts';
import { LIMITS, readable } from './limits.ts';
import type { FileKind } from './meaning.ts';

const positionSchema = z.object({
  line: z.int().min(0).meta({ description: 'From 0.' }),
  character: z.int().min(0).meta({ description: 'Zero-based, in UTF-16 code units.' }),
});

export const rangeSchema = z.object({
  start: positionSchema.meta({ description: 'Where it starts.' }),
  end: positionSchema.meta({ description: 'Where it ends.' }),
});

/** `path` is absolute. */
export const sourceSchema = z.object({
  path: z.string().meta({ description: 'The file.' }),
  range: rangeSchema.meta({ description: 'Its position in the file.' }),
});

export type Position = z.infer<typeof positionSchema>;
export type Range = z.infer<typeof rangeSchema>;
export type Source = z.infer<typeof sourceSchema>;

/** Negative if `a` comes first. */
export function comparePositions(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

export function contains({ start, end }: Range, position: Position): boolean {
  return comparePositions(start, position) <= 0 && comparePositions(position, end) <= 0;
}

/** Whether two ranges overlap or touch. */
export function overlaps(a: Range, b: Range): boolean {
  return comparePositions(b.start, a.end) <= 0 && comparePositions(a.start, b.end) <= 0;
}

/** Data for a quick fix: plain JSON, sent with the diagnostic. Paths start at the root of the document. */
export interface Fix {
  /** Other suggestions besides `replacement`, most likely first. */
  readonly alternatives?: readonly string[];
  readonly remove?: Path;
  /** A key to add to the mapping at `to`; `value` is set if known. */
  readonly add?: { readonly to: Path; readonly key: string; readonly value?: string };
  /** Keys to add to the mapping at `to` together with the replacement, such as `negate: true`, and keys to remove or rename. */
  readonly beside?: {
    readonly to: Path;
    readonly keys?: Readonly<Record<string, boolean>>;
    readonly without?: string;
    readonly rename?: readonly [from: string, to: string];
  };
  /** A value that should be the only item of a list. */
  readonly item?: Path;
  /** Keys that replace the entry at `path`; `guessed` if the user should review them. */
  readonly instead?: {
    readonly path: Path;
    readonly keys: Readonly<Record<string, unknown>>;
    readonly guessed?: true;
  };
  /** A text to write in place of a range; `guessed` if the user should review it. */
  readonly rewrite?: {
    readonly title: string;
    readonly range: Range;
    readonly text: string;
    readonly guessed?: true;
  };
  /** Possible columns for the first line of the problem, most likely first. */
  readonly indent?: readonly number[];
  /** The absolute path of the referenced file to create, and its kind. */
  readonly create?: { readonly path: string; readonly kind: NewFileKind };
}

export type NewFileKind = Exclude<FileKind, (typeof NEVER_NEW)[number]>;

const NEVER_NEW = [
  'program',
  'recording',
  'text',
  'folder',
  'transcripts',
  'matrix',
  'image',
] as const;

export function isNewFileKind(kind: FileKind): kind is NewFileKind {
  return !(NEVER_NEW as readonly FileKind[]).includes(kind);
}

export interface Problem {
  /** Stable and kebab-case, such as `unknown-key`. */
  readonly code: string;
  /** Describes the problem and the fix. */
  readonly message: string;
  /** `information` needs no action. */
  readonly severity: 'error' | 'warning' | 'information';
  /** Absolute. */
  readonly path: string;
  readonly range: Range;
  /** The text that fixes `range`, if that is certain. */
  readonly replacement?: string;
  readonly fix?: Fix;
  /** The code has no effect, so the editor can fade it. */
  readonly unnecessary?: boolean;
}

export const START: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

export function errorAt(path: string, range: Range, code: string, message: string): Problem {
  return { code, message, severity: 'error', path, range };
}

export function isError(problem: Problem): boolean {
  return problem.severity === 'error';
}

/**
 * Limits the problems per file, keeping errors first, and adds one with the number of omitted problems.
 *
 * @param problems sorted, like the result
 */
export function limitProblems(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= LIMITS.problems) return problems;
  return [...groupBy(problems, ({ path }) => path)].flatMap(([path, all]) => {
    const more = all.length - LIMITS.problems;
    if (more <= 0) return all;
    const sorted = [...all.filter(isError), ...all.filter((one) => !isError(one))];
    const kept = new Set(sorted.slice(0, LIMITS.problems));
    const message = `… and ${readable(more)} more problems in this file. The first ${LIMITS.problems} are shown.`;
    const rest = {
      code: 'more-problems',
      message,
      severity: 'warning',
      path,
      range: START,
    } as const;
    return [...all.filter((one) => kept.has(one)), rest];
  });
}

/** Replacement texts for a quick fix, most likely first. */
export function suggestionsOf([replacement, ...alternatives]: readonly string[]): Pick<
  Problem,
  'replacement' | 'fix'
> {
  return {
    ...(replacement !== undefined && { replacement }),
    ...(alternatives.length > 0 && { fix: { alternatives } }),
  };
}
