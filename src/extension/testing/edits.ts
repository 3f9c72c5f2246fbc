import type { Position, Range, Source } from '../../core/problem.ts';

/** A text change, as VS Code reports it. */
export interface Edit {
  /** Absolute. */
  readonly path: string;
  readonly range: Range;
  readonly text: string;
}

/** Shifts a source's lines by later edits. */
export function shiftSource({ path, range }: Source, edits: readonly Edit[]): Source {
  let lines = 0;
  for (const edit of edits) {
    const start = { ...range.start, line: range.start.line + lines };
    if (edit.path === path && !isBefore(start, edit.range.end)) lines += addedLines(edit);
  }
  const moved = (position: Position) => ({ ...position, line: position.line + lines });
  return { path, range: { start: moved(range.start), end: moved(range.end) } };
}

function addedLines({ range: { start, end }, text }: Edit): number {
  return text.split('\n').length - 1 - (end.line - start.line);
}

function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
