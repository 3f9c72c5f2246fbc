import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  type ParsedNode,
  parseDocument,
  Scalar,
  type YAMLMap,
  YAMLSeq,
} from 'yaml';
import { pushAll } from '../core/data/data.ts';
import type { Work } from '../node/cooperative.ts';
import { isSelfContained } from './checkNodes.ts';
import { type Ends, endsOf, setEnds, shiftNodes } from './nodes.ts';
import { faultsOf, ParseLimitError, parse, parseOrRefuse } from './parser.ts';
import { moveFault, type SyntaxFault } from './syntaxErrors.ts';

/** A syntax error, and the item of `cases` that it affects. Without an item, it affects the whole text. */
interface ConfinedFault extends SyntaxFault {
  readonly item?: number;
}

export interface ParsedText {
  readonly text: string;
  readonly document: Document.Parsed;
  readonly faults: readonly ConfinedFault[];
  /** Whether the text wasn't read because it exceeds a limit, which the fault names. */
  readonly refused?: true;
}

/**
 * Parses a text. If it has errors, each item of `cases` is parsed separately, so that an unclosed quote or
 * bracket affects only its own item:
 *
 *     cases:
 *       - id: one
 *         description: "Being wri
 *       - id: two                    is still read
 *
 * Text that exceeds a limit isn't read.
 */
export function* parseText(text: string): Work<ParsedText> {
  const read = yield* parseOrRefuse(text);
  if (!(read instanceof ParseLimitError)) {
    if (read.errors.length === 0) return { text, document: read, faults: [] };
    return (yield* parsePieces(text)) ?? { text, document: read, faults: faultsOf(read, text) };
  }
  const pieces = read.reason === 'too-many-errors' ? yield* parsePieces(text) : undefined;
  const faults = [{ code: read.reason, message: read.message, start: 0, end: 0 }];
  return pieces ?? { text, document: parseDocument(''), faults, refused: true };
}

/** In UTF-16 units. */
type CaseOffsets = Pick<CaseLines, 'starts' | 'end'>;

export function caseOffsets(text: string): CaseOffsets | undefined {
  const lines = text.split('\n');
  const cases = caseLines(lines);
  if (!cases || cases.starts.length === 0) return undefined;
  const offsets = [0];
  for (const line of lines) offsets.push((offsets.at(-1) ?? 0) + line.length + 1);
  const offsetOf = (line: number) => Math.min(offsets[line] ?? text.length, text.length);
  return { starts: cases.starts.map(offsetOf), end: offsetOf(cases.end) };
}

function* parsePieces(text: string): Work<ParsedText | undefined> {
  const items = caseOffsets(text);
  if (!items) return undefined;
  const { starts, end } = items;
  const [first = end] = starts;
  const blank = text.slice(first, end).replace(/[^\r\n]/g, ' ');
  const document = yield* parse(text.slice(0, first) + blank + text.slice(end));
  if (!document || document.errors.length > 0) return undefined;
  const root = document.contents;
  const casesIndex = isMap(root) && !root.flow ? indexOfCases(root) : undefined;
  const pair: Pair | undefined = isMap(root) ? root.items[casesIndex ?? -1] : undefined;
  if (!pair) return undefined;

  const list = new YAMLSeq();
  const faults: ConfinedFault[] = [];
  for (const [index, start] of starts.entries()) {
    const part = text.slice(start, starts[index + 1] ?? end);
    const dash = part.slice(0, part.indexOf('-') + 1);
    const item = yield* parseItem(part, start, dash, index + 1 < starts.length);
    yield;
    if (!item) return undefined;
    list.items.push(item.node);
    pushAll(
      faults,
      item.faults.map((fault) => ({ ...fault, item: index })),
    );
  }
  // The error is between the items.
  if (faults.length === 0) return undefined;
  pair.value = list;
  setListRange(document, list, text, items);
  return { text, document, faults };
}

/** The index of the `cases` entry in the file's mapping, if there is exactly one. */
export function indexOfCases({ items }: YAMLMap): number | undefined {
  const isCases = ({ key }: Pair) => isScalar(key) && key.value === 'cases';
  const casesIndex = items.findIndex(isCases);
  return casesIndex === items.findLastIndex(isCases) && casesIndex >= 0 ? casesIndex : undefined;
}

/** Sets the range of a list that was created from separately parsed items. */
export function setListRange(
  document: Document.Parsed,
  list: YAMLSeq,
  text: string,
  { starts, end }: CaseOffsets,
): void {
  const dash = text.indexOf('-', starts[0]);
  list.range = [dash, end, end];
  const { contents: root } = document;
  if (!root || end < text.length) return;
  for (const one of [root, document]) setEnds(one, [end, end]);
}

/** A separately parsed item of `cases`. */
export interface ParsedItem {
  readonly node: ParsedNode;
  readonly faults: readonly SyntaxFault[];
  /** See `isSelfContained`. */
  readonly plain: boolean;
  /** If nothing follows the item, the offsets in the text at which the list, the root, and the document end. */
  readonly ends: readonly Ends[];
}

/** The line to put above the item. */
const HEAD = 'cases:\n';

/** Matches a document marker or a directive. */
const DOCUMENT_MARK = /^(?:---|\.\.\.|%)/m;

/**
 * Parses the lines of an item separately; undefined if that isn't possible or if the item is nested too deeply.
 *
 * @param start offset of its first line in the text
 * @param dash the item's dash and its indentation
 * @param followed whether another item follows and ends it
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
  if (whole.errors.length === 0) return validItem(whole, followed ? 2 : 1, start);
  // An unclosed quote or bracket also includes the next item.
  const alone = followed ? yield* parse(HEAD + part) : whole;
  if (!alone) return undefined;
  const faults = faultsOf(alone.errors.length > 0 ? alone : whole, HEAD + part);
  return brokenItem(alone, faults, part, start, dash);
}

function validItem(document: Document.Parsed, count: number, start: number) {
  const { contents: root } = document;
  const list = isMap(root) && root.items.length === 1 ? root.items[0]?.value : undefined;
  if (!isMap(root) || !isSeq(list) || list.items.length !== count) return undefined;
  const [node] = list.items;
  if (!node) return undefined;
  const shift = start - HEAD.length;
  shiftNodes(node, shift);
  const ends = [list, root, document].map((one) => endsOf(one, shift));
  return { node, faults: [], plain: isSelfContained(document), ends };
}

function brokenItem(
  document: Document.Parsed,
  faults: readonly SyntaxFault[],
  part: string,
  start: number,
  dash: string,
): ParsedItem {
  const { contents: root } = document;
  const list = isMap(root) ? root.items[0]?.value : undefined;
  const node = (isSeq(list) && list.items[0]) || nothingAt(HEAD.length + dash.length + 1);
  const shift = start - HEAD.length;
  shiftNodes(node, shift);
  // Reports the error at the end of its own item, instead of at the start of the next one.
  const last = start + part.trimEnd().length;
  const within = (offset: number) => Math.max(start, Math.min(offset + shift, last));
  const ends: Ends = [start + part.length, start + part.length];
  return {
    node,
    faults: faults.map((one) => moveFault(one, within)),
    plain: isSelfContained(document),
    ends: [ends, ends, ends],
  };
}

function nothingAt(offset: number): ParsedNode {
  const nothing = new Scalar(null) as Scalar.Parsed;
  nothing.range = [offset, offset, offset];
  return nothing;
}

/** The lines of an eval file's cases. Lines are counted from 0. */
interface CaseLines {
  readonly head: number;
  readonly end: number;
  readonly starts: readonly number[];
}

const CASES = /^\uFEFF?(["']?)cases\1[ \t]*:[ \t]*(?:#.*)?\r?$/;

/**
 * Finds the cases by their indentation, regardless of errors in them; undefined if they aren't a block list.
 *
 * @param typed a line that doesn't end the cases, because it may be indented later
 */
export function caseLines(lines: readonly string[], typed?: number): CaseLines | undefined {
  const head = lines.findIndex((line) => line.length < 200 && CASES.test(line));
  if (head < 0) return undefined;
  const starts: number[] = [];
  let indent: number | undefined;
  for (let number = head + 1; number < lines.length; number += 1) {
    const line = lines[number] ?? '';
    const first = indentOf(line);
    // Tabs don't indent, so the line belongs to the case in which it was typed.
    if (first === undefined || line[first] === '\t') continue;
    const dash = isItem(line, first);
    if (number === typed && !(dash && (indent ?? first) === first)) continue;
    if (first === 0 && !(dash && (indent ?? 0) === 0)) return { head, end: number, starts };
    if (!dash && indent === undefined) return undefined;
    indent ??= first;
    if (dash && first < indent) return undefined;
    if (dash && first === indent) starts.push(number);
  }
  return { head, end: lines.length, starts };
}

/** The indentation of a line; undefined if the line is blank or a comment. */
export function indentOf(line = ''): number | undefined {
  let column = 0;
  while (line[column] === ' ') column += 1;
  const first = line[column];
  return first === undefined || first === '\r' || first === '#' ? undefined : column;
}

/** Whether a list item starts at a column. */
export function isItem(line = '', column: number): boolean {
  const next = line[column + 1];
  return line[column] === '-' && (next === undefined || next === ' ' || next === '\r');
}
