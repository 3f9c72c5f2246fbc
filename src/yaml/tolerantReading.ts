import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node } from 'yaml';
import type { Work } from '../node/cooperative.ts';
import { resolverOf } from './aliases.ts';
import { keyOf, type Resolve } from './nodes.ts';
import { parse } from './parser.ts';

/** Stands for a key that is no plain text. */
export const UNNAMED = '?';

/** The data of a YAML text, as much as can be read; undefined if nothing can. */
export function* readTolerantly(text: string): Work<unknown> {
  const document = yield* parse(text);
  return document && new TolerantReading(document).data(document.contents);
}

/** Reads nodes as data. What an alias names is read once, so that aliases cannot multiply it. */
export class TolerantReading {
  dangling = false;
  readonly #resolve: Resolve;
  readonly #known = new Map<Node, unknown>();

  constructor(document: Document.Parsed) {
    this.#resolve = resolverOf(document);
  }

  data(node: unknown): unknown {
    if (isScalar(node)) return node.value;
    if (isAlias(node)) {
      const named = this.#resolve(node);
      if (!named) this.dangling = true;
      return this.data(named);
    }
    if (!isNode(node)) return undefined;
    // Set before its inside is read: an alias of its own owner stands for nothing.
    if (this.#known.has(node)) return this.#known.get(node);
    this.#known.set(node, undefined);
    const read = this.#collection(node);
    this.#known.set(node, read);
    return read;
  }

  #collection(node: Node): unknown {
    if (isSeq(node)) return node.items.map((item) => this.data(item));
    if (!isMap(node)) return undefined;
    return Object.fromEntries(
      node.items.map((pair) => [keyOf(pair)?.name ?? UNNAMED, this.data(pair.value)]),
    );
  }
}
