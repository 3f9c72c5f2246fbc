import {
  type Document,
  isMap,
  isScalar,
  type Pair,
  parseDocument,
  type YAMLMap,
  YAMLSeq,
} from 'yaml';
import type { Work } from '../node/cooperative.ts';
import { caseLines } from './caseLines.ts';
import { Refusal } from './gate.ts';
import { setEnds } from './nodes.ts';
import { parseItem } from './parseItem.ts';
import { faultsOf, parse, parseOrRefuse, type SyntaxFault } from './parser.ts';

/** A fault of a text, with the item of `cases` that it is confined to; without one it concerns all. */
export interface ConfinedFault extends SyntaxFault {
  readonly item?: number;
}

export interface ParsedText {
  readonly text: string;
  readonly document: Document.Parsed;
  readonly faults: readonly ConfinedFault[];
  /** Whether it exceeds a limit: nothing of it was read, and the fault is why. */
  readonly refused?: true;
}

/**
 * Parses a text. Where it is broken, each item of `cases` is parsed by itself, so that a quote or a
 * bracket that is left open takes no other item with it:
 *
 *     cases:
 *       - id: one
 *         description: "Being wri
 *       - id: two                    is read all the same
 *
 * Of a text that exceeds a limit nothing is read.
 */
export function* parseText(text: string): Work<ParsedText> {
  const read = yield* parseOrRefuse(text);
  if (!(read instanceof Refusal)) {
    if (read.errors.length === 0) return { text, document: read, faults: [] };
    return (yield* parsePieces(text)) ?? { text, document: read, faults: faultsOf(read, text) };
  }
  const pieces = read.reason === 'too-many-errors' ? yield* parsePieces(text) : undefined;
  return pieces ?? refused(text, read);
}

function refused(text: string, { reason: code, message }: Refusal): ParsedText {
  const faults = [{ code, message, start: 0, end: 0 }];
  return { text, document: parseDocument(''), faults, refused: true };
}

/** As `CaseLines`, in UTF-16 units; undefined if there are no cases. */
export interface CaseOffsets {
  readonly starts: readonly number[];
  readonly end: number;
}

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
    faults.push(...item.faults.map((fault) => ({ ...fault, item: index })));
  }
  // Broken in no item, so it is between them.
  if (faults.length === 0) return undefined;
  pair.value = list;
  setListRange(document, list, text, items);
  return { text, document, faults };
}

/** The place of the entry `cases` in the file's mapping, where there is one alone. */
export function indexOfCases({ items }: YAMLMap): number | undefined {
  const isCases = ({ key }: Pair) => isScalar(key) && key.value === 'cases';
  const casesIndex = items.findIndex(isCases);
  return casesIndex === items.findLastIndex(isCases) && casesIndex >= 0 ? casesIndex : undefined;
}

/** Gives a list that was put together from its items the place that it has in its text. */
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
  setEnds(root, [end, end]);
  setEnds(document, [end, end]);
}
