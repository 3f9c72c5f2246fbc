import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import type { Path } from '../core/data.ts';
import { type Position, type Problem, type Range, START } from '../core/problem.ts';
import { eachNode } from './eachNode.ts';
import { Lines } from './lines.ts';
import { isPlain, PARSER_OPTIONS, type ParsedText, reparse } from './reparse.ts';

/** A scalar as it is written. */
export interface ScalarText {
  /** What it stands for, as text: `it's` of `'it''s'`. */
  readonly value: string;
  readonly style: 'plain' | 'single' | 'double' | 'block';
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
  const nodes = nodesOf(document, rangeOfOffsets, say);
  problems.push(...textsCutByComments(document, text, path, rangeOfOffsets));
  const data = again?.value ?? (nodes.readable ? dataOf(document, say) : undefined);
  const parsed: YamlDocument = {
    path,
    text,
    value: data,
    problems,
    rangeOf: nodes.rangeOf,
    keyRangeOf: nodes.keyRangeOf,
    entryRangeOf: nodes.entryRangeOf,
    scalarAt: nodes.scalarAt,
    rangeOfOffsets,
    positionAt,
    offsetAt,
    root: document.contents,
    pathAt: (position) => pathAt(document.contents, offsetAt(position)),
  };
  PARSED.set(parsed, { text, document, value: data, plain: again?.plain ?? isPlain(document) });
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

function nodesOf(
  document: Document.Parsed,
  rangeOfOffsets: (start: number, end: number) => Range,
  say: Say,
) {
  const rangeOfNode = (node: unknown): Range | undefined =>
    isNode(node) && node.range ? rangeOfOffsets(node.range[0], node.range[1]) : undefined;

  // A mapping as a key is written out as text, and one within another without end.
  let readable = true;
  const anchors = new Map<string, Node>();
  const checkAlias = (alias: Alias, above: readonly Node[]) => {
    const named = anchors.get(alias.source);
    if (named && !above.includes(named)) return;
    readable = false;
    const range = rangeOfNode(alias) ?? START;
    if (named) say('circular-alias', `*${alias.source} stands within what it names.`, range);
    else say('unknown-alias', `Nothing before this is named &${alias.source}.`, range);
  };
  const checkKeys = (map: YAMLMap) => {
    const seen = new Set<string>();
    for (const { key } of map.items) {
      const name = isScalar(key) ? String(key.value) : undefined;
      const range = () => rangeOfNode(key) ?? START;
      if (name === undefined) {
        readable = false;
        say('bad-key', 'A key must be a plain text.', range());
      } else if (name === '<<') {
        const message = 'Merge keys (`<<`) are not read. Write the keys out, or use `defaults`.';
        say('merge-key', message, range());
      } else if (seen.has(name)) {
        say('duplicate-key', `The key "${name}" stands here a second time. Remove one.`, range());
      }
      if (name !== undefined) seen.add(name);
    }
  };
  eachNode(document.contents, (node, _isKey, above) => {
    if (isAlias(node)) checkAlias(node, above);
    else if (isMap(node)) checkKeys(node);
    const anchor: unknown = Reflect.get(node, 'anchor');
    if (typeof anchor === 'string') anchors.set(anchor, node);
  });

  const find = (path: Path): { node: unknown; pair?: Pair } | undefined => {
    let found: { node: unknown; pair?: Pair } = { node: document.contents };
    for (const step of path) {
      const next = stepInto(resolved(found.node, document), step);
      if (!next) return undefined;
      found = next;
    }
    return found;
  };
  const nearest = (path: Path): { node: unknown; pair?: Pair } => {
    for (let length = path.length; length > 0; length -= 1) {
      const found = find(path.slice(0, length));
      if (found) return found;
    }
    return { node: document.contents };
  };
  const firstLine = (node: unknown): Range => {
    if (isMap(node) && node.items[0]) return rangeOfNode(node.items[0].key) ?? START;
    return rangeOfNode(node) ?? START;
  };
  return {
    readable,
    rangeOf(path: Path): Range {
      const { node, pair } = nearest(path);
      const range = rangeOfNode(node);
      const empty =
        !range ||
        (range.start.line === range.end.line && range.start.character === range.end.character);
      return (empty && pair ? rangeOfNode(pair.key) : range) ?? START;
    },
    keyRangeOf(path: Path): Range {
      const { node, pair } = nearest(path);
      return (pair && rangeOfNode(pair.key)) ?? firstLine(node);
    },
    entryRangeOf(path: Path): Range {
      const { node, pair } = nearest(path);
      const value = rangeOfNode(node);
      const start = (pair && rangeOfNode(pair.key)) ?? value ?? START;
      return { start: start.start, end: (value ?? start).end };
    },
    scalarAt(path: Path, part: 'key' | 'value' = 'value'): ScalarText | undefined {
      const found = find(path);
      return scalarText(part === 'key' ? found?.pair?.key : found?.node);
    },
  };
}

const STYLES: Readonly<Record<string, ScalarText['style']>> = {
  PLAIN: 'plain',
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_FOLDED: 'block',
  BLOCK_LITERAL: 'block',
};

function scalarText(node: unknown): ScalarText | undefined {
  if (!isScalar(node) || !node.range) return undefined;
  const [start, end] = node.range;
  return { value: String(node.value ?? ''), style: STYLES[node.type ?? ''] ?? 'plain', start, end };
}

/** A comment behind a value that does not look like one: no space after its `#`. */
const CUTTING_COMMENT = /[ \t]+(#[^\s#].*)/y;

/**
 * A text without quotes ends before ` #`, and what follows is a comment that nobody meant:
 *
 *     - user: My order #98765 has not come.
 */
function textsCutByComments(
  document: Document.Parsed,
  text: string,
  path: string,
  rangeOfOffsets: (start: number, end: number) => Range,
): Problem[] {
  const problems: Problem[] = [];
  eachNode(document.contents, (node, isKey, above) => {
    if (isKey || !isScalar(node) || node.type !== 'PLAIN' || !node.range) return;
    CUTTING_COMMENT.lastIndex = node.range[1];
    const cut = CUTTING_COMMENT.exec(text);
    if (!cut?.[1]) return;
    const start = node.range[1] + cut[0].indexOf('#');
    const flow = above.some((one) => isCollection(one) && one.flow);
    problems.push({
      code: 'comment-cuts-text',
      message: `From "${cut[1].split(/\s/)[0]}" on this is a comment and no part of the text. Put the whole text in quotes.`,
      severity: 'warning',
      path,
      range: rangeOfOffsets(start, start + cut[1].length),
      // Within brackets the comment swallows what closes them.
      ...(!flow && {
        fix: { quote: rangeOfOffsets(node.range[0], start + cut[1].trimEnd().length) },
      }),
    });
  });
  return problems;
}

function resolved(node: unknown, document: Document.Parsed): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function stepInto(
  node: unknown,
  step: string | number,
): { node: unknown; pair?: Pair } | undefined {
  if (isSeq(node) && typeof step === 'number') {
    const item = node.items[step];
    return item === undefined ? undefined : { node: item };
  }
  if (!isMap(node)) return undefined;
  const pair = pairsOf(node).get(String(step));
  return pair && { node: pair.value, pair };
}

/** The entries of a map by key, looked up once: a map of thousands is asked thousands of times. */
const PAIRS = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

function pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
  const known = PAIRS.get(map);
  if (known) return known;
  const pairs = new Map<string, Pair>();
  for (const pair of map.items) {
    const key = isScalar(pair.key) ? String(pair.key.value) : undefined;
    // Of a key that stands there twice the last one's value counts.
    if (key !== undefined) pairs.set(key, pair);
  }
  PAIRS.set(map, pairs);
  return pairs;
}

function pathAt(root: Node | null, offset: number): { path: Path; onKey: boolean } {
  const path: (string | number)[] = [];
  let node: unknown = root;
  while (true) {
    if (isMap(node)) {
      const pair = node.items.findLast((one) => startOf(one) <= offset);
      if (!pair || !isScalar(pair.key) || endOf(pair) < offset) return { path, onKey: false };
      path.push(String(pair.key.value));
      const keyEnd = pair.key.range?.[1] ?? 0;
      if (offset <= keyEnd) return { path, onKey: true };
      node = pair.value;
    } else if (isSeq(node)) {
      const index = node.items.findLastIndex((item) => startOf(item) <= offset);
      if (index < 0 || endOf(node.items[index]) < offset) return { path, onKey: false };
      path.push(index);
      node = node.items[index];
    } else {
      return { path, onKey: false };
    }
  }
}

function startOf(item: unknown): number {
  if (isPair(item)) return startOf(item.key);
  return isNode(item) ? (item.range?.[0] ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
}

/** Up to where the next entry begins: the white space behind a value still belongs to it. */
function endOf(item: unknown): number {
  if (isPair(item))
    return item.value === null
      ? isNode(item.key)
        ? (item.key.range?.[2] ?? 0)
        : 0
      : endOf(item.value);
  return isNode(item) ? (item.range?.[2] ?? 0) : 0;
}
