import type { Range } from '../../core/problem.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';

/**
 * The case on a line of the suite's own file, and the turn on it; of a scripted user turn, the
 * reply to it.
 *
 * @param line from 0
 */
export function caseOnLine(
  { path, outline }: Pick<LoadedSuite, 'path' | 'outline'>,
  line: number,
): { readonly id: string; readonly turn?: number } | undefined {
  const found = outline.find((one) => one.path === path && holds(one.range, line));
  if (found?.id === undefined) return undefined;
  const turn = found.turns.find(({ range }) => holds(range, line))?.turns.at(-1);
  return { id: found.id, ...(turn !== undefined && { turn }) };
}

/** A range that ends before the first character of a line does not reach into that line. */
function holds({ start, end }: Range, line: number): boolean {
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return start.line <= line && line <= last;
}
