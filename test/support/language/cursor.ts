import type { Position } from '../../../src/core/problem.ts';

/** Splits a text and its cursor, marked with `|`. If the text contains several bars, the first one is the cursor. */
export function cursor(marked: string): { readonly text: string; readonly position: Position } {
  const before = marked.slice(0, marked.indexOf('|'));
  const lines = before.split('\n');
  return {
    text: marked.replace('|', ''),
    position: { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 },
  };
}
