import type { Position, Range } from '../core/problem.ts';

export function contains(range: Range, { line, character }: Position): boolean {
  const { start, end } = range;
  if (line < start.line || line > end.line) return false;
  if (line === start.line && character < start.character) return false;
  return line < end.line || character <= end.character;
}
