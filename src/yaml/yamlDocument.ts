import { TextDocument } from 'vscode-languageserver-textdocument';
import { type Document, isMap, isNode, isScalar, type Node } from 'yaml';
import { type Path, valueAt } from '../core/data/data.ts';
import { type Position, type Problem, type Range, START } from '../core/problem.ts';
import { runSync, type Work } from '../node/cooperative.ts';
import { type ConfinedProblem, checkNodes } from './checkNodes.ts';
import { documentValue, reparsedValue } from './documentValue.ts';
import { isEmpty, nearestTo, nodeAt, pathTo, resolverOf, type Style, styleOf } from './nodes.ts';
import { type ParsedText, parseText } from './parsedText.ts';
import type { SyntaxFault } from './parser.ts';
import { reparse } from './reparse.ts';

export interface ScalarText {
  /** Its text: `it's` for `'it''s'`. */
  readonly value: string;
  readonly style: Style;
  /** Offsets in UTF-16 units, including quotes or the block header. */
  readonly start: number;
  readonly end: number;
}

/** A parsed YAML text with a range for every path. `value` is its data; undefined if nothing can be read. */
export interface YamlDocument {
  readonly path: string;
  readonly text: string;
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** The item of `cases` that one of these problems is confined to; undefined: it concerns all. */
  caseOf(problem: Problem): number | undefined;
  /** The range of a value; if it doesn't exist, that of the nearest owner. */
  rangeOf(path: Path): Range;
  /** The range of a key; if there is none, the first line of the item or map. */
  keyRangeOf(path: Path): Range;
  entryRangeOf(path: Path): Range;
  /** The scalar at a path, or its key; undefined for anything else, including aliases. */
  scalarAt(path: Path, part?: 'key' | 'value'): ScalarText | undefined;
  /** The path of the innermost value or key at a place, and whether the place is on its key. */
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
  /** Whether a later version can be reparsed by item. */
  readonly plain: boolean;
}

/** The source of a document, until a later version reuses its nodes. */
const DOCUMENT_SOURCES = new WeakMap<YamlDocument, DocumentSource>();

/** As `rereadYaml`, or else as `readYaml`, synchronously. */
export function parseYaml(text: string, path: string, before?: YamlDocument): YamlDocument {
  return (before && rereadYaml(text, path, before)) ?? runSync(readYaml(text, path));
}

/** @param margin characters in front of each line that the file does not have: places are without them */
export function* readYaml(text: string, path: string, margin = 0): Work<YamlDocument> {
  const parsed = yield* parseText(text);
  const told = new DocumentBuilder(path, placesIn(text, margin));
  yield;
  const { unreadable, plain } = told.check(parsed);
  yield;
  const value = documentValue(parsed, unreadable, (code, message) => told.report(code, message));
  return told.document(parsed, value, plain);
}

/**
 * Reads a later version of a file, parsing only what changed: see `reparse`. Ranges of the earlier version are invalid
 * afterwards; its data stays valid.
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
  const told = new DocumentBuilder(path, placesIn(text, 0));
  const { unreadable, plain } = told.check(parsed);
  return told.document(parsed, reparsedValue(known.value, parsed, unreadable), plain);
}

/** Collects the problems of a document and creates it. */
class DocumentBuilder {
  readonly #path: string;
  readonly #places: ReturnType<typeof placesIn>;
  readonly #problems: ConfinedProblem[] = [];

  constructor(path: string, places: ReturnType<typeof placesIn>) {
    this.#path = path;
    this.#places = places;
  }

  report(code: string, message: string, range = START, item?: number, needs?: Need): void {
    const problem = { code, message, severity: 'error', path: this.#path, range } as const;
    this.#problems.push({ problem: { ...problem, ...fixOf(range, needs) }, item });
  }

  check({ text, document, faults }: ParsedText) {
    const { rangeOfOffsets } = this.#places;
    for (const { code, message, start, end, needs, item } of faults) {
      this.report(code, message, rangeOfOffsets(start, end), item, needs);
    }
    const { problems, ...checked } = checkNodes(document, text, this.#path, rangeOfOffsets);
    for (const problem of problems) this.#problems.push(problem);
    return checked;
  }

  document(parsed: ParsedText, value: unknown, plain: boolean): YamlDocument {
    const { text, document } = parsed;
    const { rangeOfOffsets, offsetAt } = this.#places;
    const items = new Map(this.#problems.map(({ problem, item }) => [problem, item]));
    const yaml: YamlDocument = {
      path: this.#path,
      text,
      value,
      problems: this.#problems.map(({ problem }) => problem),
      caseOf: (problem) => items.get(problem),
      ...lookupsOf(document, rangeOfOffsets),
      ...this.#places,
      root: document.contents,
      pathAt: (position) => pathTo(document.contents, offsetAt(position)),
    };
    DOCUMENT_SOURCES.set(yaml, {
      parsed,
      value,
      plain: plain && Array.isArray(valueAt(value, ['cases'])),
    });
    return yaml;
  }
}

/** Separate from the document, so that keeping it doesn't keep all nodes. */
function placesIn(
  text: string,
  margin: number,
): Pick<YamlDocument, 'rangeOfOffsets' | 'positionAt' | 'offsetAt'> {
  // The parser's own counter loses the lines behind some of its errors.
  const lines = TextDocument.create('', '', 0, text);
  const positionAt = (offset: number) => {
    const { line, character } = lines.positionAt(offset);
    return { line, character: Math.max(0, character - margin) };
  };
  return {
    positionAt,
    rangeOfOffsets: (start, end) => ({
      start: positionAt(start),
      end: positionAt(Math.max(start, end)),
    }),
    offsetAt: ({ line, character }) => lines.offsetAt({ line, character: character + margin }),
  };
}

type Need = SyntaxFault['needs'];

function fixOf(range: Range, needs: Need): Pick<Problem, 'fix'> {
  if (needs === 'quote') return { fix: { quote: range } };
  return needs === 'blank' ? { fix: { blank: range.end } } : {};
}

type Places = Pick<YamlDocument, 'rangeOf' | 'keyRangeOf' | 'entryRangeOf' | 'scalarAt'>;

function lookupsOf(
  document: Document.Parsed,
  rangeOfOffsets: (start: number, end: number) => Range,
): Places {
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
