import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  type YAMLSeq,
} from 'yaml';
import { changedAt, valueAt } from '../core/data.ts';
import { isPlain } from './checkNodes.ts';

/** What every text is parsed with. */
export const PARSER_OPTIONS = {
  uniqueKeys: false,
  merge: false,
  version: '1.2',
  prettyErrors: false,
} as const;

/** A text with its document and the data in it; undefined where nothing can be made of it. */
export interface ParsedText {
  readonly text: string;
  readonly document: Document.Parsed;
  readonly value: unknown;
  /** As in `isPlain`. */
  readonly plain: boolean;
}

/** Stands before the item that is parsed, as in its file. */
const HEAD = 'cases:\n';

/**
 * The document of a text that differs from another one within one item of `cases`, as after most
 * key presses: only that item is parsed. The nodes behind it move, so that `before` is used up and
 * its places are wrong from then on. Undefined, with nothing moved, where the change is of another
 * kind, or where the file is not plain enough to tell.
 */
export function reparse(text: string, before: ParsedText): ParsedText | undefined {
  const { document } = before;
  const root = document.contents;
  const cases = valueAt(before.value, ['cases']);
  if (!isMap(root) || root.flow || !before.plain || !Array.isArray(cases)) return undefined;
  const place = root.items.findIndex(({ key }) => isScalar(key) && key.value === 'cases');
  const list = root.items[place]?.value;
  if (!isSeq(list) || list.flow || list.items.length !== cases.length) return undefined;
  const below = root.items.slice(place + 1);
  if (below.some(({ key }) => isScalar(key) && key.value === 'cases')) return undefined;

  const { index, start, end } = itemAround(list, before.text, text, below.length === 0) ?? {};
  if (index === undefined || start === undefined || end === undefined) return undefined;
  const by = text.length - before.text.length;
  const dash = dashAt(before.text, start);
  const part = text.slice(start, end + by);
  const followed = index + 1 < list.items.length;
  // An item that begins behind it as the next one of the file does ends it in the same way.
  if (dash === '' || dashAt(part, 0) !== dash) return undefined;
  const parsed = parsedPart(part, followed ? `${dash} x\n` : '');
  const fresh = isMap(parsed?.contents) ? parsed.contents.items[0]?.value : undefined;
  if (!parsed || !isSeq(fresh) || fresh.items.length !== (followed ? 2 : 1)) return undefined;

  const shift = start - HEAD.length;
  move(fresh.items[0], shift);
  for (const one of [...list.items.slice(index + 1), ...below]) move(one, by);
  list.items.splice(index, 1, ...fresh.items.slice(0, 1));
  if (followed) for (const owner of [list, root, document]) moveEnd(owner, owner, by);
  else {
    moveEnd(list, fresh, shift);
    moveEnd(root, parsed.contents ?? root, shift);
    moveEnd(document, parsed, shift);
  }
  const item = valueAt(parsed.toJS(), ['cases', 0]);
  const value = changedAt(before.value, ['cases', index], () => item);
  return { text, document, value, plain: true };
}

function parsedPart(part: string, behind: string) {
  // Where a document ends, an item does as well, whatever stands behind it.
  if (/^(?:---|\.\.\.|%)/m.test(part)) return undefined;
  try {
    const parsed = parseDocument(HEAD + part + behind, PARSER_OPTIONS);
    const { contents } = parsed;
    return isMap(contents) && contents.items.length === 1 && isPlain(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The lines of the item that all of a change stands in: offsets in the old text. */
function itemAround(list: YAMLSeq, old: string, text: string, isLast: boolean) {
  const [from, to] = changeOf(old, text);
  const index = list.items.findLastIndex((item) => (lineOf(item, old) ?? Infinity) <= from);
  const start = lineOf(list.items[index], old);
  const next = list.items[index + 1];
  const end = next ? lineOf(next, old) : isLast ? old.length : undefined;
  if (start === undefined || end === undefined || to > end) return undefined;
  return { index, start, end };
}

/** Where the line of an item begins; undefined where its dash does not begin the line. */
function lineOf(item: unknown, text: string): number | undefined {
  const offset = isNode(item) ? item.range?.[0] : undefined;
  if (offset === undefined) return undefined;
  const start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  return /^ *- +$/.test(text.slice(start, offset)) ? start : undefined;
}

/** The blanks and the dash at the head of a line; empty where it has none. */
function dashAt(text: string, start: number): string {
  DASH.lastIndex = start;
  return DASH.exec(text)?.[0] ?? '';
}

const DASH = / *-(?= )/y;

/** What of the old text is another in the new one: from where on, and up to where. */
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

/** A node or an entry with all that stands in it. */
function move(item: unknown, by: number): void {
  if (isPair(item)) {
    move(item.key, by);
    move(item.value, by);
    return;
  }
  if (!isNode(item)) return;
  if (item.range) item.range = [item.range[0] + by, item.range[1] + by, item.range[2] + by];
  if (isCollection(item)) for (const one of item.items) move(one, by);
}

interface Ranged {
  range?: readonly [number, number, number] | null;
}

/** Ends something where another thing ends. */
function moveEnd(owner: object, like: object, by: number): void {
  const [there, other] = [owner as Ranged, like as Ranged];
  if (there.range && other.range) {
    there.range = [there.range[0], other.range[1] + by, other.range[2] + by];
  }
}
