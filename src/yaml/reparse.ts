import { isMap, isNode, isSeq, type YAMLSeq } from 'yaml';
import { runSync } from '../node/cooperative.ts';
import { endsOf, isEmpty, setEnds, shiftNodes, startOf, startOfLine } from './nodes.ts';
import {
  caseOffsets,
  indexOfCases,
  type ParsedItem,
  type ParsedText,
  parseItem,
  setListRange,
} from './parsedText.ts';
import { moveFault } from './syntaxErrors.ts';

/** Text that was parsed using an earlier version of it. */
export interface ReparsedText extends ParsedText {
  /** Index of the reparsed item of `cases`. */
  readonly index: number;
}

/**
 * Reparses text that differs from an earlier version in one item of `cases`, as after most keystrokes: only that item
 * is parsed. This shifts the nodes that follow, so `before` must not be used anymore. For any other difference, changes
 * nothing and returns undefined.
 *
 * @param before the earlier version, which must be self-contained: see `isSelfContained`
 */
export function reparse(text: string, before: ParsedText): ReparsedText | undefined {
  const { document } = before;
  const root = document.contents;
  if (!isMap(root) || root.flow || before.faults.some(({ item }) => item === undefined)) {
    return undefined;
  }
  const casesIndex = indexOfCases(root);
  const list = casesIndex === undefined ? undefined : root.items[casesIndex]?.value;
  if (casesIndex === undefined || !isSeq(list) || list.flow) return undefined;
  const below = root.items.slice(casesIndex + 1);

  const { index, start, end } = itemAround(list, before.text, text, below.length === 0) ?? {};
  if (index === undefined || start === undefined || end === undefined) return undefined;
  const by = text.length - before.text.length;
  // The new text may join the next item's line.
  if (startOfLine(text, end + by) !== end + by && end < before.text.length) return undefined;
  const dash = dashAt(before.text, start);
  const part = text.slice(start, end + by);
  const followed = index + 1 < list.items.length;
  // If the next item still starts with the same dash, it ends this item as before.
  if (dash === '' || dashAt(part, 0) !== dash) return undefined;
  const item = runSync(parseItem(part, start, dash, followed));
  if (!item?.plain) return undefined;

  const faults = [
    ...before.faults.filter((one) => Number(one.item) < index),
    ...item.faults.map((one) => ({ ...one, item: index })),
    ...before.faults
      .filter((one) => Number(one.item) > index)
      .map((one) => moveFault(one, (offset) => offset + by)),
  ];
  const lines = faults.length > 0 ? caseOffsets(text) : undefined;
  if (faults.length > 0) {
    const behind = below[0] ? startOfLine(before.text, startOf(below[0])) + by : text.length;
    if (lines?.end !== behind) return undefined;
    // An omitted key is positioned at the end of the preceding list.
    if (below.some(({ key }) => isEmpty(key))) return undefined;
    if (!lines.starts.every(isStartOf(list, before.text, index, by))) return undefined;
  }
  const outer = [list, root, document];
  let { ends } = item;
  if (followed) {
    const mends = before.faults.length > 0 && faults.length === 0;
    const found = mends ? endsOfLast(list, before.text, text) : outer.map((one) => endsOf(one, by));
    // The text after the list hides where the list ends.
    if (!found || (mends && below.length > 0)) return undefined;
    ends = found;
  }

  for (const one of [...list.items.slice(index + 1), ...below]) shiftNodes(one, by);
  list.items.splice(index, 1, item.node);
  for (const [place, one] of outer.entries()) setEnds(one, ends[place] ?? [0, 0]);
  if (lines) setListRange(document, list, text, lines);
  return { text, document, faults, index };
}

/** The ends of a list, its root, and its document, taken from the list's last item, which hasn't changed. */
function endsOfLast({ items }: YAMLSeq, old: string, text: string): ParsedItem['ends'] | undefined {
  const start = lineOf(items.at(-1), old);
  if (start === undefined) return undefined;
  const part = old.slice(start);
  return runSync(parseItem(part, text.length - part.length, dashAt(part, 0), false))?.ends;
}

/** Whether a list's items still start at the given lines after one of them has changed. */
function isStartOf({ items }: YAMLSeq, old: string, changed: number, by: number) {
  return (start: number, index: number, all: readonly number[]): boolean => {
    const before = lineOf(items[index], old);
    return (
      all.length === items.length &&
      before !== undefined &&
      start === before + (index > changed ? by : 0)
    );
  };
}

/** The offsets, in the old text, of the lines of the item that contains the whole change. */
function itemAround(list: YAMLSeq, old: string, text: string, isLast: boolean) {
  const [from, to] = changeOf(old, text);
  const index = list.items.findLastIndex((item) => (lineOf(item, old) ?? Infinity) <= from);
  const start = lineOf(list.items[index], old);
  const next = list.items[index + 1];
  const end = next ? lineOf(next, old) : isLast ? old.length : undefined;
  if (start === undefined || end === undefined || to > end) return undefined;
  return { index, start, end };
}

/** Start of an item's line; undefined if the line doesn't start with its dash. */
function lineOf(item: unknown, text: string): number | undefined {
  const offset = isNode(item) ? item.range?.[0] : undefined;
  if (offset === undefined) return undefined;
  const start = startOfLine(text, offset);
  return /^ *- +$/.test(text.slice(start, offset)) ? start : undefined;
}

/** The indentation and dash at the start of a line; empty if it has no dash. */
function dashAt(text: string, start: number): string {
  DASH.lastIndex = start;
  return DASH.exec(text)?.[0] ?? '';
}

const DASH = / *-(?= )/y;

/** The range of the old text that changed. */
function changeOf(old: string, text: string): readonly [from: number, to: number] {
  const shorter = Math.min(old.length, text.length);
  let from = 0;
  while (from < shorter && old.charCodeAt(from) === text.charCodeAt(from)) from += 1;
  let same = 0;
  while (
    same < shorter - from &&
    old.charCodeAt(old.length - 1 - same) === text.charCodeAt(text.length - 1 - same)
  ) {
    same += 1;
  }
  return [from, old.length - same];
}
