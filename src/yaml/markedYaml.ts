import {
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
  visit,
} from 'yaml';
import type { Path } from '../core/data.ts';
import { keyOf, type Style, startOf, styleOf } from './nodes.ts';
import { PARSER_OPTIONS } from './reparse.ts';

/** Where a mark stands in a YAML text that may be half-written. Offsets are of that text. */
export interface Marked {
  /** What can be read of the text; the mark's own key or value is in it as it stands. */
  readonly root: unknown;
  /** To the value, or to the key that holds the mark. */
  readonly path: Path;
  readonly onKey: boolean;
  readonly style: Style;
  /** The content, without quotes. */
  readonly start: number;
  readonly end: number;
  /** Within `[…]` or `{…}`. */
  readonly inFlow: boolean;
  /** Where the key begins that the mark is in or that the value belongs to; absent in lists. */
  readonly keyStart?: number;
}

export interface MarkSearch {
  readonly found?: Marked;
  /** How many faults the text has as YAML. */
  readonly faults: number;
  /** An alias stands for something that the text does not have. */
  readonly dangling: boolean;
}

/** Looks for a word that occurs once. Never throws: of a text that nests too deeply nothing is read. */
export function findMark(text: string, mark: string): MarkSearch {
  try {
    const document = parseDocument(text, PARSER_OPTIONS);
    const place = placeOfMark(document, text, mark);
    const reading = new Reading(document);
    const root = place && reading.data(document.contents);
    return {
      faults: document.errors.length,
      dangling: reading.dangling,
      ...(place && { found: { ...place, root } }),
    };
  } catch {
    return { faults: 1, dangling: false };
  }
}

/** The data of a YAML text, as much as can be read; undefined where nothing can. */
export function readTolerantly(text: string): unknown {
  try {
    const document = parseDocument(text, PARSER_OPTIONS);
    return new Reading(document).data(document.contents);
  } catch {
    return undefined;
  }
}

function placeOfMark(
  document: Document.Parsed,
  text: string,
  mark: string,
): Omit<Marked, 'root'> | undefined {
  let found: Omit<Marked, 'root'> | undefined;
  visit(document, {
    Scalar(key, node, above) {
      if (typeof node.value !== 'string' || !node.value.includes(mark) || !node.range) return;
      const style = styleOf(node);
      const [from, to] = node.range;
      const quoted = style === 'single' || style === 'double';
      const closed = quoted && to - from > 1 && text[to - 1] === text[from];
      const pair = above.at(-1);
      found = {
        path: pathOf([...above, node], key),
        onKey: key === 'key',
        style,
        start: quoted ? from + 1 : from,
        end: closed ? to - 1 : to,
        inFlow: above.some((one) => isCollection(one) && one.flow === true),
        ...(isPair(pair) && { keyStart: startOf(pair) }),
      };
      return visit.BREAK;
    },
  });
  return found;
}

function pathOf(nodes: readonly unknown[], last: unknown): Path {
  return nodes.flatMap((node, index): Path => {
    if (isPair(node)) return [nameOf(node)];
    const list = nodes[index - 1];
    if (!isSeq(list)) return [];
    return [index === nodes.length - 1 ? Number(last) : list.items.indexOf(node)];
  });
}

function nameOf(pair: Pair): string {
  return keyOf(pair)?.name ?? '?';
}

/** Reads nodes as data. What an alias names is read once, so that aliases cannot multiply it. */
class Reading {
  dangling = false;
  readonly #document: Document.Parsed;
  readonly #known = new Map<Node, unknown>();

  constructor(document: Document.Parsed) {
    this.#document = document;
  }

  data(node: unknown): unknown {
    if (isScalar(node)) return node.value;
    if (isAlias(node)) {
      const named = node.resolve(this.#document);
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
    return Object.fromEntries(node.items.map((pair) => [nameOf(pair), this.data(pair.value)]));
  }
}
