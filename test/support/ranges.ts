import assert from 'node:assert/strict';
import type { Position, Range } from '../../src/core/problem.ts';

/** The text that a range holds; fails where any of it is outside of the text. */
export function textIn(text: string, { start, end }: Range): string {
  const [from, to] = [offsetIn(text, start), offsetIn(text, end)];
  assert.ok(from <= to, 'a range ends behind its start');
  return text.slice(from, to);
}

function offsetIn(text: string, { line, character }: Position): number {
  const lines = text.split('\n');
  const length = lines[line]?.length;
  assert.ok(length !== undefined && character >= 0 && character <= length, 'it is in the text');
  return lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + character;
}
