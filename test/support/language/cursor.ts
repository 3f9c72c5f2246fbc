import type { Position } from '../../../src/core/problem.ts';

/** A text with the cursor as `|`; the first one, where the text itself holds others. */
export function cursor(marked: string): { readonly text: string; readonly position: Position } {
  const before = marked.slice(0, marked.indexOf('|'));
  const lines = before.split('\n');
  return {
    text: marked.replace('|', ''),
    position: { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 },
  };
}
