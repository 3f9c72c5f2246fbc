import * as z from 'zod';

/** A place in a text, both numbers from 0; `character` counts UTF-16 units, as in LSP. */
export const positionSchema = z.strictObject({
  line: z.int().min(0),
  character: z.int().min(0),
});

export const rangeSchema = z.strictObject({ start: positionSchema, end: positionSchema });

/** A place in a file. `path` is absolute. */
export const sourceSchema = z.strictObject({ path: z.string(), range: rangeSchema });

export type Position = z.infer<typeof positionSchema>;
export type Range = z.infer<typeof rangeSchema>;
export type Source = z.infer<typeof sourceSchema>;

/**
 * One thing wrong with a file.
 *
 * `code` is a stable kebab-case name (`unknown-key`); `message` says what is wrong and what to do.
 * `path` is absolute. `replacement` is the text that would mend `range`, where that is certain.
 */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly severity: 'error' | 'warning';
  readonly path: string;
  readonly range: Range;
  readonly replacement?: string;
}

export const START: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

export function isError(problem: Problem): boolean {
  return problem.severity === 'error';
}
