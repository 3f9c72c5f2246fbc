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
  Scalar,
  type YAMLMap,
} from 'yaml';
import type { Path } from '../core/data/data.ts';

/** Offsets in UTF-16 units. */
export type Span = readonly [start: number, end: number];

export interface FoundNode {
  /** Null for an empty value: `key:`. */
  readonly node: Node | null;
  readonly pair?: Pair;
  /** Whether the node is within `[…]` or `{…}`. */
  readonly inFlow: boolean;
  readonly depth: number;
}

/** Resolves an alias to the last node before it that has the alias's anchor. */
export type Resolve = (alias: Alias) => Node | undefined;

/**
 * The node at a path. Follows aliases only if `resolve` is given, because an edit behind an alias would also change
 * other places.
 */
export function nodeAt(root: Node | null, path: Path, resolve?: Resolve): FoundNode | undefined {
  const found = nearestTo(root, path, resolve);
  return found.depth === path.length ? found : undefined;
}

/** The node at a path, or its nearest owner if the path doesn't exist. Called for every name in a file. */
export function nearestTo(root: Node | null, path: Path, resolve?: Resolve): FoundNode {
  let node = root;
  let pair: Pair | undefined;
  let inFlow = false;
  let depth = 0;
  for (const step of path) {
    const owner = isAlias(node) ? resolve?.(node) : node;
    const next = stepInto(owner, step);
    if (!next) break;
    pair = isPair(next) ? next : undefined;
    const inner = isPair(next) ? next.value : next;
    node = isNode(inner) ? inner : null;
    inFlow = isFlow(owner);
    depth += 1;
  }
  return { node, inFlow, depth, ...(pair && { pair }) };
}

function stepInto(owner: unknown, step: string | number): Pair | Node | undefined {
  if (isMap(owner)) return pairOf(owner, String(step));
  const item = isSeq(owner) && typeof step === 'number' ? owner.items[step] : undefined;
  return isNode(item) ? item : undefined;
}

/**
 * Maximum size of a map that isn't indexed. Larger maps are indexed, because each of their thousands of keys may be
 * looked up.
 */
const SMALL_MAP = 16;

const PAIRS = new WeakMap<YAMLMap, ReadonlyMap<string | undefined, Pair>>();

/** The entry for a key. If there are duplicates, the last one, whose value applies. */
function pairOf(map: YAMLMap, name: string): Pair | undefined {
  const { items } = map;
  if (items.length <= SMALL_MAP) {
    for (let last = items.length - 1; last >= 0; last -= 1) {
      const pair = items[last];
      if (pair && nameOf(pair) === name) return pair;
    }
    return undefined;
  }
  const pairs = PAIRS.get(map) ?? new Map(items.map((pair) => [nameOf(pair), pair]));
  PAIRS.set(map, pairs);
  return pairs.get(name);
}

function nameOf({ key }: Pair): string | undefined {
  return isScalar(key) ? String(key.value) : undefined;
}

/** The path of the innermost value or key at an offset, and whether the offset is on the key. */
export function pathTo(root: Node | null, offset: number): { path: Path; onKey: boolean } {
  const path: (string | number)[] = [];
  let node: unknown = root;
  while (isMap(node) || isSeq(node)) {
    const items: readonly unknown[] = node.items;
    const index = items.findLastIndex((item) => startOf(item) <= offset);
    const item = items[index];
    if (index < 0 || reachOf(item) < offset) break;
    if (isPair(item)) {
      const key = keyOf(item);
      if (!key) break;
      path.push(key.name);
      if (offset <= (key.node.range?.[1] ?? 0)) return { path, onKey: true };
      node = item.value;
    } else {
      path.push(index);
      node = item;
    }
  }
  return { path, onKey: false };
}

/** Where an item ends: at the start of the next entry, because white space after a value belongs to the value. */
function reachOf(item: unknown): number {
  if (isPair(item)) return reachOf(item.value ?? item.key);
  return isNode(item) ? (item.range?.[2] ?? 0) : 0;
}

/** Start of a node or entry, not including anchors and tags. */
export function startOf(item: unknown): number {
  const node = isPair(item) ? item.key : item;
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** End of a node or entry, not including trailing spaces, comments, and empty lines. */
export function endOf(item: unknown, text: string): number {
  if (isPair(item)) {
    const { key, value } = item;
    if (isNode(value) && !isEmpty(value)) return endOf(value, text);
    return behindColon(item, text) ?? endOf(key, text);
  }
  if (!isNode(item)) return 0;
  const [start, end] = item.range ?? [0, 0];
  if (isCollection(item) && !item.flow) {
    const last: unknown = item.items.at(-1);
    return last === undefined ? end : endOf(last, text);
  }
  return isBlockText(item) ? start + text.slice(start, end).trimEnd().length : end;
}

/** The span of a node or entry; undefined if it has none. */
export function spanOf(item: unknown, text: string): Span | undefined {
  const node = isPair(item) ? item.key : item;
  return isNode(node) && node.range ? [node.range[0], endOf(item, text)] : undefined;
}

/** The offset after an entry's colon; undefined if it has no colon, as in `{key}`. */
export function behindColon({ key }: Pair, text: string): number | undefined {
  COLON.lastIndex = isNode(key) ? (key.range?.[1] ?? 0) : 0;
  return COLON.test(text) ? COLON.lastIndex : undefined;
}

const COLON = /\s*:/y;

export function isEmpty({ range }: Node): boolean {
  return !range || range[0] === range[1];
}

/** The style of a scalar. `block` stands for both `|` and `>`. */
export type Style = 'plain' | 'single' | 'double' | 'block';

const STYLES: Readonly<Record<string, Style>> = {
  [Scalar.PLAIN]: 'plain',
  [Scalar.QUOTE_SINGLE]: 'single',
  [Scalar.QUOTE_DOUBLE]: 'double',
  [Scalar.BLOCK_FOLDED]: 'block',
  [Scalar.BLOCK_LITERAL]: 'block',
};

export function styleOf({ type }: Scalar): Style {
  return STYLES[type ?? Scalar.PLAIN] ?? 'plain';
}

export function isBlockText(node: unknown): node is Scalar {
  return isScalar(node) && styleOf(node) === 'block';
}

export function isFlow(node: unknown): boolean {
  return isCollection(node) && node.flow === true;
}

export function anchorOf(node: Node): string | undefined {
  return 'anchor' in node ? node.anchor : undefined;
}

export function keyOf(pair: unknown): { readonly name: string; readonly node: Scalar } | undefined {
  return isPair(pair) && isScalar(pair.key)
    ? { name: String(pair.key.value), node: pair.key }
    : undefined;
}

/** The value of a key in a map; undefined if there is none. */
export function valueUnder(node: unknown, name: string): Node | undefined {
  return (isMap(node) && nodeAt(node, [name])?.node) || undefined;
}

/**
 * Visits every node in text order, faster than the parser's own `visit`.
 *
 * @param look `above` contains the enclosing lists and maps, outermost first; the array is reused
 */
export function eachNode(
  root: Node | null,
  look: (node: Node, isKey: boolean, above: readonly Node[]) => void,
): void {
  const above: Node[] = [];
  const walk = (item: unknown, isKey: boolean): void => {
    if (isPair(item)) {
      walk(item.key, true);
      walk(item.value, false);
      return;
    }
    if (!isNode(item)) return;
    look(item, isKey, above);
    if (!isCollection(item)) return;
    above.push(item);
    for (const one of item.items) walk(one, false);
    above.pop();
  };
  walk(root, false);
}

/** The end of a value itself, and the end including comments and white space after it. */
export type Ends = readonly [value: number, all: number];

interface NodeWithRange {
  range?: readonly [number, number, number] | null;
}

/** Shifts the ranges of a node or entry, and of its content. */
export function shiftNodes(item: unknown, by: number): void {
  if (isPair(item)) {
    shiftNodes(item.key, by);
    shiftNodes(item.value, by);
    return;
  }
  if (!isNode(item)) return;
  if (item.range) item.range = [item.range[0] + by, item.range[1] + by, item.range[2] + by];
  if (isCollection(item)) for (const one of item.items) shiftNodes(one, by);
}

export function endsOf(item: object, by = 0): Ends {
  const [, value, all] = (item as NodeWithRange).range ?? [0, 0, 0];
  return [value + by, all + by];
}

export function setEnds(item: object, [value, all]: Ends): void {
  const ranged = item as NodeWithRange;
  if (ranged.range) ranged.range = [ranged.range[0], value, all];
}

/**
 * Creates a function that resolves aliases. Visits the document only once, whereas the parser's own `resolve` visits it
 * for each alias.
 */
export function resolverOf(document: Document.Parsed): Resolve {
  let named: ReadonlyMap<Alias, Node | undefined> | undefined;
  return (alias) => {
    named ??= namedIn(document);
    return named.get(alias);
  };
}

function namedIn({ contents }: Document.Parsed): ReadonlyMap<Alias, Node | undefined> {
  const anchors = new Map<string, Node>();
  const named = new Map<Alias, Node | undefined>();
  eachNode(contents, (node) => {
    if (isAlias(node)) named.set(node, anchors.get(node.source));
    const anchor = anchorOf(node);
    if (anchor !== undefined) anchors.set(anchor, node);
  });
  return named;
}

/** Start of an offset's line. As in the YAML parser, a lone carriage return isn't a line break. */
export function startOfLine(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** End of an offset's line, before its line break. */
export function endOfLine(text: string, offset: number): number {
  const next = text.indexOf('\n', offset);
  if (next < 0) return text.length;
  return next > offset && text[next - 1] === '\r' ? next - 1 : next;
}

/** Start of the next line; the end of the text if there is none. */
export function startOfNextLine(text: string, offset: number): number {
  const next = text.indexOf('\n', offset);
  return next < 0 ? text.length : next + 1;
}

export function lineBreakOf(text: string): string {
  return text[text.indexOf('\n') - 1] === '\r' ? '\r\n' : '\n';
}
