import {
  type Document,
  isMap,
  isNode,
  isScalar,
  type Node,
  parseDocument,
  type YAMLError,
} from 'yaml';
import type { Path } from '../core/data.ts';
import { type Position, type Problem, type Range, START } from '../core/problem.ts';
import { checkNodes } from './checkNodes.ts';
import { Lines } from './lines.ts';
import { nearestTo, nodeAt, pathTo, type Resolve, type Style, styleOf } from './nodes.ts';
import { PARSER_OPTIONS, type ParsedText, reparse } from './reparse.ts';

/** A scalar as it is written. */
export interface ScalarText {
  /** What it stands for, as text: `it's` of `'it''s'`. */
  readonly value: string;
  readonly style: Style;
  /** Offsets in UTF-16 units, with quotes or the header of a block. */
  readonly start: number;
  readonly end: number;
}

/** Aliases may stand for this many nodes in all: enough for reuse, too little for a bomb. */
const MAX_ALIASES = 100;

/**
 * A YAML text, parsed once, with a place for every path into it. `value` is the plain data;
 * undefined where nothing can be made of the text.
 */
export interface YamlDocument {
  readonly path: string;
  readonly text: string;
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** The value at a path; the nearest owner's where it does not exist. */
  rangeOf(path: Path): Range;
  /** The key at a path; the first line of the item or map where it has none. */
  keyRangeOf(path: Path): Range;
  /** The whole entry, key and value. */
  entryRangeOf(path: Path): Range;
  /** The scalar at a path, or its key; undefined where something else stands, also an alias. */
  scalarAt(path: Path, part?: 'key' | 'value'): ScalarText | undefined;
  /** The path of the innermost value or key at a place, and whether the place is on its key. */
  pathAt(position: Position): { readonly path: Path; readonly onKey: boolean };
  rangeOfOffsets(start: number, end: number): Range;
  positionAt(offset: number): Position;
  offsetAt(position: Position): number;
  /** The outermost node, for features that look at the text's form; null where there is none. */
  readonly root: Node | null;
}

/** What a document was made of, until another one takes its nodes over. */
const PARSED = new WeakMap<YamlDocument, ParsedText>();

/**
 * @param before an earlier version of the file, of which only what changed is parsed: see `reparse`.
 *   Its places are wrong from then on; what was read from it stays as it is.
 */
export function parseYaml(text: string, path: string, before?: YamlDocument): YamlDocument {
  // The parser's own counter loses the lines behind some of its errors.
  const lines = new Lines(text);
  const positionAt = (offset: number) => lines.positionAt(offset);
  const rangeOfOffsets = (start: number, end: number): Range => ({
    start: positionAt(start),
    end: positionAt(Math.max(start, end)),
  });
  const offsetAt = (position: Position) => lines.offsetAt(position);
  const problems: Problem[] = [];
  const say = (code: string, message: string, range: Range) =>
    problems.push({ code, message, severity: 'error', path, range });

  const known = before && PARSED.get(before);
  const again = known && reparse(text, known);
  if (before && again) PARSED.delete(before);
  let document: Document.Parsed;
  try {
    document = again?.document ?? parseDocument(text, PARSER_OPTIONS);
  } catch {
    say('too-deep', 'This file is nested too deeply to be read.', START);
    return { ...nothing(path, text, problems), rangeOfOffsets, positionAt, offsetAt };
  }
  for (const error of document.errors) {
    say(codeOf(error), wordsOf(error), rangeOfOffsets(error.pos[0], error.pos[1]));
  }
  const checked = checkNodes(document, text, path, rangeOfOffsets);
  problems.push(...checked.problems);
  const data = again?.value ?? (checked.readable ? dataOf(document, say) : undefined);
  const parsed: YamlDocument = {
    path,
    text,
    value: data,
    problems,
    ...placesIn(document, rangeOfOffsets),
    rangeOfOffsets,
    positionAt,
    offsetAt,
    root: document.contents,
    pathAt: (position) => pathTo(document.contents, offsetAt(position)),
  };
  PARSED.set(parsed, { text, document, value: data, plain: again?.plain ?? checked.plain });
  return parsed;
}

function nothing(path: string, text: string, problems: readonly Problem[]) {
  const nowhere = () => START;
  return {
    path,
    text,
    problems,
    value: undefined,
    root: null,
    rangeOf: nowhere,
    keyRangeOf: nowhere,
    entryRangeOf: nowhere,
    scalarAt: () => undefined,
    pathAt: () => ({ path: [], onKey: false }),
  };
}

function codeOf({ code }: YAMLError): string {
  if (code === 'TAB_AS_INDENT') return 'tab-indent';
  if (code === 'MULTIPLE_DOCS') return 'several-documents';
  return 'yaml-syntax';
}

function wordsOf(error: YAMLError): string {
  switch (codeOf(error)) {
    case 'tab-indent':
      return 'A tab cannot indent YAML. Use spaces.';
    case 'several-documents':
      return 'A second document begins here. Keep one suite in a file.';
    default:
      return `This is not valid YAML: ${error.message.split('\n')[0]}`;
  }
}

type Say = (code: string, message: string, range: Range) => void;

function dataOf(document: Document.Parsed, say: Say): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    if (error instanceof ReferenceError && /alias/i.test(error.message)) {
      const message = `Its aliases stand for too much text (over ${MAX_ALIASES} nodes). Write the values out.`;
      say('too-many-aliases', message, START);
    } else if (document.errors.length === 0) {
      const reason = error instanceof Error ? error.message : String(error);
      say('yaml-syntax', `This is not valid YAML: ${reason}`, START);
    }
    return undefined;
  }
}

type Places = Pick<YamlDocument, 'rangeOf' | 'keyRangeOf' | 'entryRangeOf' | 'scalarAt'>;

function placesIn(
  document: Document.Parsed,
  rangeOfOffsets: (start: number, end: number) => Range,
): Places {
  const { contents } = document;
  const resolve: Resolve = (alias) => alias.resolve(document);
  const rangeOfNode = (node: unknown): Range | undefined =>
    isNode(node) && node.range ? rangeOfOffsets(node.range[0], node.range[1]) : undefined;
  return {
    rangeOf(path) {
      const { node, pair } = nearestTo(contents, path, resolve);
      const isEmpty = !node?.range || node.range[0] === node.range[1];
      return (isEmpty && pair ? rangeOfNode(pair.key) : rangeOfNode(node)) ?? START;
    },
    keyRangeOf(path) {
      const { node, pair } = nearestTo(contents, path, resolve);
      const first = isMap(node) ? node.items[0]?.key : undefined;
      return rangeOfNode(pair?.key) ?? rangeOfNode(first) ?? rangeOfNode(node) ?? START;
    },
    entryRangeOf(path) {
      const { node, pair } = nearestTo(contents, path, resolve);
      const value = rangeOfNode(node);
      const start = rangeOfNode(pair?.key) ?? value ?? START;
      return { start: start.start, end: (value ?? start).end };
    },
    scalarAt(path, part = 'value') {
      const found = nodeAt(contents, path, resolve);
      return scalarText(part === 'key' ? found?.pair?.key : found?.node);
    },
  };
}

function scalarText(node: unknown): ScalarText | undefined {
  if (!isScalar(node) || !node.range) return undefined;
  const [start, end] = node.range;
  return { value: String(node.value ?? ''), style: styleOf(node), start, end };
}
