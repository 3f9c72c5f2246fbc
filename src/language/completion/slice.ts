import type { Position } from '../../core/problem.ts';
import type { Work } from '../../node/cooperative.ts';
import { readLeniently } from '../../yaml/documentValue.ts';
import { endOfLine } from '../../yaml/nodes.ts';
import { caseLines, indentOf, isItem } from '../../yaml/parsedText.ts';

/** The part of an eval file that completion at a place depends on. */
export interface Slice {
  readonly text: string;
  readonly offset: number;
  /** Something of the file is left out. */
  readonly partial: boolean;
  /** The whole case at the cursor, as a list of one, where `text` has less of it. */
  readonly wholeCase?: string;
}

/** A case with more lines than these is cut down as well. */
const LONG_CASE = 200;

/** The whole text as a slice; undefined if the place is not in it. */
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
 * The text without the cases that the cursor is not in: a key press in a file of thousands of
 * cases reads one of them.
 *
 *     models: …          kept
 *     cases:             kept
 *       - id: first      left out
 *       - id: second     kept: the cursor is in it
 *     judge: …           kept
 */
export function sliceAt(text: string, position: Position): Slice | undefined {
  const lines = text.split('\n');
  const cursor = position.line;
  const cases = caseLines(lines, cursor);
  if (!cases) return wholeSlice(text, position);
  const { head, end, starts } = cases;
  const tail = numbers(end, lines.length);
  if (cursor <= head || cursor >= end)
    return joined(lines, [...numbers(0, head + 1), ...tail], position);
  const index = starts.findLastIndex((start) => start <= cursor);
  const start = starts[index];
  if (start === undefined) {
    return joined(lines, [...numbers(0, head + 1), cursor, ...tail], position);
  }
  const stop = starts[index + 1] ?? end;
  const own = numbers(start, stop);
  const shown = own.length > LONG_CASE ? shortened(lines, start, stop, cursor) : own;
  const slice = joined(lines, [...numbers(0, head + 1), ...shown, ...tail], position);
  if (!slice || shown.length === own.length) return slice;
  return { ...slice, wholeCase: lines.slice(start, stop).join('\n') };
}

/** What the cases have of one key, such as their `tags`: mappings with that key, equal ones once. */
export function* readEntries(text: string, key: string): Work<unknown[]> {
  const read: unknown[] = [];
  for (const entry of entriesOfCases(text, key)) {
    read.push(yield* readLeniently(entry));
    yield;
  }
  return read;
}

/** The texts of one key of the cases, such as their `tags`, each with the key; the same text once. */
export function entriesOfCases(text: string, key: string): string[] {
  const lines = text.split('\n');
  const cases = caseLines(lines);
  if (!cases) return [];
  const found = new Set<string>();
  for (const [index, start] of cases.starts.entries()) {
    const stop = cases.starts[index + 1] ?? cases.end;
    for (const [from, to] of entries(lines, start, stop)) {
      const entry = lines.slice(from, to);
      // The dash of a case that begins with the key.
      entry[0] = (entry[0] ?? '').replace(/^(\s*)-/, '$1 ');
      if (entry[0].trimStart().startsWith(`${key}:`)) found.add(entry.join('\n'));
    }
  }
  return [...found];
}

function joined(
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

/** The lines of a case without the items of its long lists, but for the item at the cursor. */
function shortened(
  lines: readonly string[],
  start: number,
  stop: number,
  cursor: number,
): number[] {
  return entries(lines, start, stop).flatMap(([from, to]) => {
    const first = numbers(from + 1, to).find((number) => indentOf(lines[number]) !== undefined);
    const indent = first === undefined ? undefined : indentOf(lines[first]);
    if (first === undefined || indent === undefined || !isItem(lines[first], indent)) {
      return numbers(from, to);
    }
    const items = numbers(first, to).filter(
      (number) => indentOf(lines[number]) === indent && isItem(lines[number], indent),
    );
    const own = cursor < from || cursor >= to ? -1 : items.findLastIndex((one) => one <= cursor);
    const item = items[own];
    return [
      ...numbers(from, first),
      ...(item === undefined ? [] : numbers(item, items[own + 1] ?? to)),
      ...(own < 0 && cursor >= first && cursor < to ? [cursor] : []),
    ];
  });
}

/** From where to where the keys of the case at `start` reach, value and all. */
function entries(
  lines: readonly string[],
  start: number,
  stop: number,
): (readonly [number, number])[] {
  const column = /^\s*-\s+/.exec(lines[start] ?? '')?.[0].length;
  if (column === undefined) return [[start, stop]];
  const firsts = numbers(start, stop).filter((number) => {
    const line = lines[number];
    return number === start || (indentOf(line) === column && !isItem(line, column));
  });
  return firsts.map((from, index) => [from, firsts[index + 1] ?? stop]);
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_none, index) => from + index);
}
