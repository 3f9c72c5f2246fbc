import type { Position, Range } from '../core/problem.ts';

/** Less than 0 if the first comes first. */
export function comparePositions(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character;
}

export function contains({ start, end }: Range, position: Position): boolean {
  return comparePositions(start, position) <= 0 && comparePositions(position, end) <= 0;
}

/** Whether two ranges share a place, if only that where one ends and the other begins. */
export function overlaps(a: Range, b: Range): boolean {
  return comparePositions(b.start, a.end) <= 0 && comparePositions(a.start, b.end) <= 0;
}
