import { TextDocument } from 'vscode-languageserver-textdocument';
import { type Document, isMap, isNode, isScalar, type Node } from 'yaml';
import { type Path, valueAt } from '../core/data/data.ts';
import { errorAt, type Position, type Problem, type Range, START } from '../core/problem.ts';
import { runSync, type Work } from '../node/cooperative.ts';
import { type ConfinedProblem, checkNodes } from './checkNodes.ts';
import { documentValue, reparsedValue } from './documentValue.ts';
import { isEmpty, nearestTo, nodeAt, pathTo, resolverOf, type Style, styleOf } from './nodes.ts';
import { type ParsedText, parseText } from './parsedText.ts';
import { isUnreadable } from './parser.ts';
import { reparse } from './reparse.ts';

export interface ScalarText {
  /** The scalar's text: `it's` for `'it''s'`. */
  readonly value: string;
  readonly style: Style;
  /** Offsets in UTF-16 units, including the quotes or the block's header. */
  readonly start: number;
  readonly end: number;
}

/** Parsed YAML text with a range for every path. `value` contains its data, or undefined if nothing can be read. */
export interface YamlDocument {
  readonly path: string;
  readonly text: string;
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** The item of `cases` that one of these problems affects; undefined if it affects the whole file. */
  caseOf(problem: Problem): number | undefined;
  /** The range of a value, or of its nearest existing owner if it doesn't exist. */
  rangeOf(path: Path): Range;
  /** The range of a key; if there is none, of the first line of the item or map. */
  keyRangeOf(path: Path): Range;
  entryRangeOf(path: Path): Range;
  /** The scalar at a path, or the scalar of its key; undefined for anything else, including aliases. */
  scalarAt(path: Path, part?: 'key' | 'value'): ScalarText | undefined;
  /** The path of the innermost value or key at a position, and whether the position is on the key. */
  pathAt(position: Position): { readonly path: Path; readonly onKey: boolean };
  rangeOfOffsets(start: number, end: number): Range;
  positionAt(offset: number): Position;
  offsetAt(position: Position): number;
  /** The outermost node, for features that depend on the text's form; null if there is none. */
  readonly root: Node | null;
}

interface DocumentSource {
  readonly parsed: ParsedText;
  readonly value: unknown;
  /** Whether items can be reparsed separately in a later version. */
  readonly plain: boolean;
}

/** Sources, which are kept until a later version reuses their nodes. */
const DOCUMENT_SOURCES = new WeakMap<YamlDocument, DocumentSource>();

/** Parses text. Given an earlier version, parses only the changed item, if possible. */
export function parseYaml(text: string, path: string, before?: YamlDocument): YamlDocument {
  return (before && rereadYaml(text, path, before)) ?? runSync(readYaml(text, path));
}

/** @param origin the text's position in its file; its column applies to every line */
export function* readYaml(text: string, path: string, origin = START.start): Work<YamlDocument> {
  const parsed = yield* parseText(text);
  const places = placesIn(text, origin);
  yield;
  const { problems, unreadable, plain } = check(parsed, path, places);
  yield;
  const value = documentValue(parsed, unreadable, (code, message) => {
    problems.push({ problem: errorAt(path, START, code, message), item: undefined });
  });
  return documentOf(path, places, problems, { parsed, value, plain });
}

/**
 * Reads a later version of a file, parsing only the changed item; see `reparse`. Invalidates the earlier version's
 * ranges, but not its data.
 */
export function rereadYaml(
  text: string,
  path: string,
  before: YamlDocument,
): YamlDocument | undefined {
  const known = DOCUMENT_SOURCES.get(before);
  const parsed = known?.plain ? reparse(text, known.parsed) : undefined;
  if (!known || !parsed) return undefined;
  DOCUMENT_SOURCES.delete(before);
  const places = placesIn(text);
  const { problems, unreadable, plain } = check(parsed, path, places);
  const value = reparsedValue(known.value, parsed, unreadable);
  return documentOf(path, places, problems, { parsed, value, plain });
}

function check({ text, document, faults }: ParsedText, path: string, { rangeOfOffsets }: Places) {
  const syntax = faults.map((fault): ConfinedProblem => {
    const { code, message, start, end, rewrite, indent, item } = fault;
    const problem = errorAt(path, rangeOfOffsets(start, end), code, message);
    if (!rewrite) return { problem: indent ? { ...problem, fix: { indent } } : problem, item };
    const { start: from, end: to, ...written } = rewrite;
    const fix = { rewrite: { ...written, range: rangeOfOffsets(from, to) } };
    return { problem: { ...problem, fix }, item };
  });
  const { problems, ...checked } = checkNodes(document, text, path, rangeOfOffsets);
  const faulty = new Set(faults.map(({ item }) => item));
  // A syntax error also causes keys that are lists, and unknown aliases.
  const others = problems.filter(
    ({ problem, item }) => !(faulty.has(item) && isUnreadable(problem)),
  );
  return { problems: [...syntax, ...others], ...checked };
}

function documentOf(
  path: string,
  places: Places,
  problems: readonly ConfinedProblem[],
  source: DocumentSource,
): YamlDocument {
  const { text, document } = source.parsed;
  const items = new Map(problems.map(({ problem, item }) => [problem, item]));
  const yaml: YamlDocument = {
    path,
    text,
    value: source.value,
    problems: [...items.keys()],
    caseOf: (problem) => items.get(problem),
    ...lookupsOf(document, places.rangeOfOffsets),
    ...places,
    root: document.contents,
    pathAt: (position) => pathTo(document.contents, places.offsetAt(position)),
  };
  const plain = source.plain && Array.isArray(valueAt(source.value, ['cases']));
  DOCUMENT_SOURCES.set(yaml, { ...source, plain });
  return yaml;
}

type Places = Pick<YamlDocument, 'rangeOfOffsets' | 'positionAt' | 'offsetAt'>;

/** Converts offsets to positions. Separate from the document, so that keeping this doesn't keep all nodes in memory. */
export function placesIn(text: string, origin = START.start): Places {
  // The parser's own line counter misses lines after some errors.
  const lines = TextDocument.create('', '', 0, text);
  const positionAt = (offset: number) => {
    const { line, character } = lines.positionAt(offset);
    return { line: line + origin.line, character: Math.max(0, character + origin.character) };
  };
  return {
    positionAt,
    rangeOfOffsets: (start, end) => ({
      start: positionAt(start),
      end: positionAt(Math.max(start, end)),
    }),
    offsetAt: ({ line, character }) =>
      lines.offsetAt({ line: line - origin.line, character: character - origin.character }),
  };
}

function lookupsOf(
  document: Document.Parsed,
  rangeOfOffsets: (start: number, end: number) => Range,
): Pick<YamlDocument, 'rangeOf' | 'keyRangeOf' | 'entryRangeOf' | 'scalarAt'> {
  const { contents } = document;
  const resolve = resolverOf(document);
  const rangeOfNode = (node: unknown): Range | undefined =>
    isNode(node) && node.range ? rangeOfOffsets(node.range[0], node.range[1]) : undefined;
  return {
    rangeOf(path) {
      const { node, pair } = nearestTo(contents, path, resolve);
      return rangeOfNode(pair && (!node || isEmpty(node)) ? pair.key : node) ?? START;
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
