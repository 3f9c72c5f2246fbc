import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node } from 'yaml';
import { withValueAt } from '../core/data/data.ts';
import { errorText } from '../core/errors.ts';
import type { Work } from '../node/cooperative.ts';
import { keyOf, type Resolve, resolverOf, valueUnder } from './nodes.ts';
import type { ParsedText } from './parsedText.ts';
import { parse } from './parser.ts';
import type { ReparsedText } from './reparse.ts';

/** Maximum number of nodes that aliases can expand to: enough for reuse, but too few for an alias bomb. */
const MAX_ALIASES = 100;

type Unreadable = ReadonlySet<number | undefined>;

/**
 * The data in a text, including the readable parts of items in `cases` that can't be fully read; undefined if there is
 * none.
 */
export function documentValue(
  parsed: ParsedText,
  unreadable: Unreadable,
  report: (code: string, message: string) => void,
): unknown {
  const { document, faults, refused } = parsed;
  if (refused || unreadable.has(undefined)) return undefined;
  try {
    if (unreadable.size === 0) return document.toJS({ maxAliasCount: MAX_ALIASES });
    return lenientValue(document, unreadable);
  } catch (error) {
    if (error instanceof ReferenceError && /alias/i.test(error.message)) {
      const message = `The aliases expand to more than ${MAX_ALIASES} nodes. Write the values out.`;
      report('too-many-aliases', message);
    } else if (faults.length === 0) {
      report('yaml-syntax', `This is not valid YAML: ${errorText(error)}`);
    }
    return undefined;
  }
}

/** An earlier version's data with the reparsed item. */
export function reparsedValue(
  before: unknown,
  { document, index }: ReparsedText,
  unreadable: Unreadable,
): unknown {
  const list = valueUnder(document.contents, 'cases');
  const node: unknown = isSeq(list) ? list.items[index] : undefined;
  return withValueAt(before, ['cases', index], () =>
    itemValue(node, unreadable.has(index), document),
  );
}

function lenientValue(document: Document.Parsed, unreadable: Unreadable): unknown {
  const { contents: root } = document;
  if (!isMap(root)) return undefined;
  return Object.fromEntries(
    root.items.map((pair) => {
      const { value }: { value: unknown } = pair;
      const isCases = keyOf(pair)?.name === 'cases' && isSeq(value);
      const data = isCases
        ? value.items.map((item, index) => itemValue(item, unreadable.has(index), document))
        : itemValue(value, false, document);
      return [keyOf(pair)?.name, data];
    }),
  );
}

function itemValue(node: unknown, tolerantly: boolean, document: Document.Parsed): unknown {
  if (tolerantly) return new LenientReader(document).data(node);
  return isNode(node) ? node.toJS(document, { maxAliasCount: MAX_ALIASES }) : null;
}

/** The readable data in YAML text; undefined if there is none. */
export function* readLeniently(text: string): Work<unknown> {
  const document = yield* parse(text);
  return document && new LenientReader(document).data(document.contents);
}

/** Reads nodes as data. The target of an alias is read once, so that aliases can't multiply it. */
export class LenientReader {
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
    // Set before the content is read, because an alias inside its own anchor has no value.
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
      node.items.flatMap((pair) => {
        const { name } = keyOf(pair) ?? {};
        return name === undefined ? [] : [[name, this.data(pair.value)]];
      }),
    );
  }
}
