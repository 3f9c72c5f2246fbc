import type * as vscode from 'vscode';
import type { Range } from '../../core/problem.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';

export interface CaseLocation {
  readonly uri: vscode.Uri;
  readonly id: string;
  /** The variant, if the case has several conversations. */
  readonly variant?: string | undefined;
  /** From 1. */
  readonly repetition?: number | undefined;
  readonly turn?: number | undefined;
}

/** The case and turn on a line of the suite's own file; for a scripted user turn, its reply. @param line 0-based */
export function caseOnLine(
  { path, outline }: Pick<LoadedSuite, 'path' | 'outline'>,
  line: number,
): { readonly id: string; readonly turn?: number } | undefined {
  const found = outline.find((one) => one.path === path && containsLine(one.range, line));
  if (found?.id === undefined) return undefined;
  const turn = found.turns.find(({ range }) => containsLine(range, line))?.turns.at(-1);
  return { id: found.id, ...(turn !== undefined && { turn }) };
}

/** A range that ends before the first character of a line doesn't contain that line. */
function containsLine({ start, end }: Range, line: number): boolean {
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return start.line <= line && line <= last;
}
