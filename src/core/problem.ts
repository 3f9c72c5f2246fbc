import * as z from 'zod';
import type { Path } from './data.ts';

/** A place in a text, both numbers from 0; `character` counts UTF-16 units, as in LSP. */
export const positionSchema = z.object({
  line: z.int().min(0),
  character: z.int().min(0),
});

export const rangeSchema = z.object({ start: positionSchema, end: positionSchema });

/** A place in a file. `path` is absolute. */
export const sourceSchema = z.object({ path: z.string(), range: rangeSchema });

export type Position = z.infer<typeof positionSchema>;
export type Range = z.infer<typeof rangeSchema>;
export type Source = z.infer<typeof sourceSchema>;

/**
 * What a quick fix has to know beyond the place of a problem: plain JSON, since it travels with the
 * diagnostic. Paths lead from the top of the problem's document.
 */
export interface Fix {
  /** Texts for `range` that may have been meant as well as `replacement`, the likeliest first. */
  readonly alternatives?: readonly string[];
  /** The entry that can go. */
  readonly remove?: Path;
  /** The mapping at `to` lacks a key; `value` where it is known what belongs there. */
  readonly add?: { readonly to: Path; readonly key: string; readonly value?: string };
  /** Keys that the mapping at `to` needs with the replacement, such as `negate: true`. */
  readonly beside?: {
    readonly to: Path;
    readonly keys: Readonly<Record<string, boolean>>;
  };
  /** The text that is to stand in quotes. */
  readonly quote?: Range;
  /** The file that a reference names, absolute, and what it has to be. */
  readonly create?: { readonly path: string; readonly kind: NewFileKind };
}

export type NewFileKind = 'prompt' | 'transcript' | 'script' | 'cases';

/**
 * One thing wrong with a file.
 *
 * `code` is a stable kebab-case name (`unknown-key`); `message` says what is wrong and what to do.
 * `path` is absolute. `replacement` is the text that would mend `range`, where that is certain.
 * `unnecessary` says that what stands there has no effect, and can be shown faded.
 */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly severity: 'error' | 'warning';
  readonly path: string;
  readonly range: Range;
  readonly replacement?: string;
  readonly fix?: Fix;
  readonly unnecessary?: boolean;
}

export const START: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

export function isError(problem: Problem): boolean {
  return problem.severity === 'error';
}
