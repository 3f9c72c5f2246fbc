import type { Position } from '../../core/problem.ts';
import type { Work } from '../../node/cooperative.ts';
import { readLeniently } from '../../yaml/documentValue.ts';
import { endOfLine } from '../../yaml/nodes.ts';
import { caseLines, indentOf, isItem } from '../../yaml/parsedText.ts';

/** The part of an eval file that completion depends on. */
export interface Slice {
  readonly text: string;
  readonly offset: number;
  /** Whether parts of the file are left out. */
  readonly partial: boolean;
  /** The whole case at the cursor, as a one-item list, if `text` contains only parts of it. */
  readonly wholeCase?: string;
}

const MAX_CASE_LINES = 200;

/** The whole text as a slice; undefined if the position is outside of it. */
export function wholeSlice(text: string, position: Position): Slice | undefined {
  const { line, character } = position;
  let start = 0;
  for (let number = 0; number < line; number += 1) {
    const end = text.indexOf('\n', start);
    if (end < 0) return undefined;
    start = end + 1;
  }
  const offset = Math.min(start + character, endOfLine(text, start));
  return { text, offset, partial: false };
}

/**
 * The text without the other cases, so that a key press in a file with thousands of cases requires parsing only one
 * case:
 *
 * models: …          kept cases:             kept
 * - id: first      left out
 * - id: second     kept: the cursor is in it judge: …           kept
 */
export function sliceAt(text: string, position: Position): Slice | undefined {
  const lines = text.split('\n');
  const cursor = position.line;
  const cases = caseLines(lines, cursor);
  if (!cases) return wholeSlice(text, position);
  const { head, end, starts } = cases;
  const sliceWith = (shown: readonly number[]) => {
    const numbers = [...lineNumbers(0, head + 1), ...shown, ...lineNumbers(end, lines.length)];
    return sliceOfLines(lines, numbers, position);
  };
  if (cursor <= head || cursor >= end) return sliceWith([]);
  const index = starts.findLastIndex((start) => start <= cursor);
  const start = starts[index];
  if (start === undefined) return sliceWith([cursor]);
  const stop = starts[index + 1] ?? end;
  const own = lineNumbers(start, stop);
  const shown = own.length > MAX_CASE_LINES ? linesOfLongCase(lines, start, stop, cursor) : own;
  const slice = sliceWith(shown);
  if (!slice || shown.length === own.length) return slice;
  return { ...slice, wholeCase: lines.slice(start, stop).join('\n') };
}

/** The distinct values that cases have for a key, such as `tags`, as mappings with that key. */
export function* readEntries(text: string, key: string): Work<unknown[]> {
  const read: unknown[] = [];
  for (const entry of entriesOfCases(text, key)) {
    read.push(yield* readLeniently(entry));
    yield;
  }
  return read;
}

/** The distinct source texts that cases have for a key, including the key. */
function entriesOfCases(text: string, key: string): string[] {
  const lines = text.split('\n');
  const cases = caseLines(lines);
  if (!cases) return [];
  const found = new Set<string>();
  for (const [index, start] of cases.starts.entries()) {
    const stop = cases.starts[index + 1] ?? cases.end;
    for (const [from, to] of entries(lines, start, stop)) {
      const entry = lines.slice(from, to);
      // Removes the dash if the case starts with the key.
      entry[0] = (entry[0] ?? '').replace(/^(\s*)-/, '$1 ');
      if (entry[0].trimStart().startsWith(`${key}:`)) found.add(entry.join('\n'));
    }
  }
  return [...found];
}

function sliceOfLines(
  lines: readonly string[],
  kept: readonly number[],
  { line, character }: Position,
): Slice | undefined {
  const own = lines[line]?.replace(/\r$/, '');
  if (own === undefined) return undefined;
  let offset = 0;
  for (const number of kept) {
    if (number >= line) break;
    offset += (lines[number]?.length ?? 0) + 1;
  }
  const text = kept.map((number) => lines[number]).join('\n');
  const partial = kept.length < lines.length;
  return { text, offset: offset + Math.min(character, own.length), partial };
}

/** The lines of a case without the items of its lists, except the one at the cursor. */
function linesOfLongCase(
  lines: readonly string[],
  start: number,
  stop: number,
  cursor: number,
): number[] {
  return entries(lines, start, stop).flatMap(([from, to]) => {
    const first = lineNumbers(from + 1, to).find((number) => indentOf(lines[number]) !== undefined);
    const indent = first === undefined ? undefined : indentOf(lines[first]);
    if (first === undefined || indent === undefined || !isItem(lines[first], indent)) {
      return lineNumbers(from, to);
    }
    const items = lineNumbers(first, to).filter(
      (number) => indentOf(lines[number]) === indent && isItem(lines[number], indent),
    );
    const own = cursor < from || cursor >= to ? -1 : items.findLastIndex((one) => one <= cursor);
    const item = items[own];
    return [
      ...lineNumbers(from, first),
      ...(item === undefined ? [] : lineNumbers(item, items[own + 1] ?? to)),
      ...(own < 0 && cursor >= first && cursor < to ? [cursor] : []),
    ];
  });
}

/** The line ranges of the keys and their values in the case at `start`. */
function entries(
  lines: readonly string[],
  start: number,
  stop: number,
): (readonly [number, number])[] {
  const column = /^\s*-\s+/.exec(lines[start] ?? '')?.[0].length;
  if (column === undefined) return [[start, stop]];
  const firsts = lineNumbers(start, stop).filter((number) => {
    const line = lines[number];
    return number === start || (indentOf(line) === column && !isItem(line, column));
  });
  return firsts.map((from, index) => [from, firsts[index + 1] ?? stop]);
}

function lineNumbers(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_none, index) => from + index);
}
