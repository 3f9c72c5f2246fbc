import { isCollection, isMap, isNode, isPair, isScalar, type Node, type Scalar } from 'yaml';

/** Offsets in UTF-16 units. */
export type Span = readonly [start: number, end: number];

/** A node, or an entry with its key, without the comments and blank lines behind it. */
export function spanOf(item: unknown, text: string): Span | undefined {
  if (isPair(item)) {
    const key = spanOf(item.key, text);
    const value = spanOf(item.value, text);
    return key && value ? [key[0], Math.max(key[1], value[1])] : (key ?? value);
  }
  if (!isNode(item) || !item.range) return undefined;
  const [start, end] = item.range;
  if (isCollection(item) && !item.flow) {
    return [start, spanOf(item.items.at(-1), text)?.[1] ?? end];
  }
  return [start, isBlockText(item) ? start + text.slice(start, end).trimEnd().length : end];
}

/** A text with a `|` or `>` before it. */
export function isBlockText(node: unknown): node is Scalar {
  return isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED');
}

/** A key that is a plain text. */
export function keyOf(pair: unknown): { readonly name: string; readonly node: Scalar } | undefined {
  return isPair(pair) && isScalar(pair.key)
    ? { name: String(pair.key.value), node: pair.key }
    : undefined;
}

/** The value under a key of a map; undefined where the node is none or has no such key. */
export function valueUnder(node: unknown, name: string): Node | undefined {
  if (!isMap(node)) return undefined;
  const value = node.items.find((pair) => keyOf(pair)?.name === name)?.value;
  return isNode(value) ? value : undefined;
}
