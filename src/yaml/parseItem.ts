import { type Document, isMap, isSeq, type ParsedNode, Scalar } from 'yaml';
import type { Work } from '../node/cooperative.ts';
import { isPlain } from './checkNodes.ts';
import { type Ends, endsOf, move } from './nodes.ts';
import { faultsOf, parse, type SyntaxFault } from './parser.ts';

/** An item of `cases`, parsed by itself. */
export interface ParsedItem {
  readonly node: ParsedNode;
  readonly faults: readonly SyntaxFault[];
  /** As in `isPlain`. */
  readonly plain: boolean;
  /** Where what surrounds it ends if nothing stands after it, counted from `start` in the text. */
  readonly ends: Readonly<Record<'list' | 'root' | 'document', Ends>>;
}

/** Stands before the item that is parsed, as in its file. */
const HEAD = 'cases:\n';

/** A line that ends the document, or is not of one. */
const DOCUMENT_MARK = /^(?:---|\.\.\.|%)/m;

/**
 * Parses the lines of an item. What is broken in it stays within it; undefined if that cannot be
 * told, and where it is nested too deeply.
 *
 * @param start of its first line in the text, from where places count
 * @param dash of the item, with the blanks before it
 * @param followed whether another item stands after it, which ends it in the same way as in its file
 */
export function* parseItem(
  part: string,
  start: number,
  dash: string,
  followed: boolean,
): Work<ParsedItem | undefined> {
  if (DOCUMENT_MARK.test(part)) return undefined;
  const whole = yield* parse(HEAD + part + (followed ? `${dash} x\n` : ''));
  if (!whole) return undefined;
  if (whole.errors.length === 0) return soundItem(whole, followed ? 2 : 1, start);
  // What is left open swallows what stands after it.
  const alone = followed ? yield* parse(HEAD + part) : whole;
  if (!alone) return undefined;
  const faults = faultsOf(alone.errors.length > 0 ? alone : whole, HEAD + part);
  return brokenItem(alone, faults, { part, start, dash });
}

function soundItem(
  document: Document.Parsed,
  count: number,
  start: number,
): ParsedItem | undefined {
  const { contents: root } = document;
  const list = isMap(root) && root.items.length === 1 ? root.items[0]?.value : undefined;
  if (!isMap(root) || !isSeq(list) || list.items.length !== count) return undefined;
  const [node] = list.items;
  if (!node) return undefined;
  const shift = start - HEAD.length;
  move(node, shift);
  const ends = {
    list: endsOf(list, shift),
    root: endsOf(root, shift),
    document: endsOf(document, shift),
  };
  return { node, faults: [], plain: isPlain(document), ends };
}

interface BrokenPart {
  readonly part: string;
  readonly start: number;
  readonly dash: string;
}

function brokenItem(
  document: Document.Parsed,
  faults: readonly SyntaxFault[],
  { part, start, dash }: BrokenPart,
): ParsedItem {
  const { contents: root } = document;
  const list = isMap(root) ? root.items[0]?.value : undefined;
  const node = (isSeq(list) && list.items[0]) || nothingAt(HEAD.length + dash.length + 1);
  const shift = start - HEAD.length;
  move(node, shift);
  // What is left open is told where its item ends, not where the next one begins.
  const last = start + part.trimEnd().length;
  const within = (offset: number) => Math.max(start, Math.min(offset + shift, last));
  const ends: Ends = [start + part.length, start + part.length];
  return {
    node,
    faults: faults.map((one) => ({ ...one, start: within(one.start), end: within(one.end) })),
    plain: isPlain(document),
    ends: { list: ends, root: ends, document: ends },
  };
}

function nothingAt(offset: number): ParsedNode {
  const nothing = new Scalar(null) as Scalar.Parsed;
  nothing.range = [offset, offset, offset];
  return nothing;
}
