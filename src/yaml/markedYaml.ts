import { type Document, isCollection, isPair, isSeq, visit } from 'yaml';
import type { Path } from '../core/data/data.ts';
import type { Work } from '../node/cooperative.ts';
import { LenientReader, UNNAMED } from './documentValue.ts';
import { keyOf, type Style, startOf, styleOf } from './nodes.ts';
import { parse } from './parser.ts';

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

export interface MarkSearchResult {
  readonly found?: Marked;
  readonly faults: number;
  /** An alias stands for something that the text does not have. */
  readonly dangling: boolean;
}

/** Looks for a word that occurs once. Never throws: of a text that nests too deeply nothing is read. */
export function* findMark(text: string, mark: string): Work<MarkSearchResult> {
  const document = yield* parse(text);
  if (!document) return { faults: 1, dangling: false };
  yield;
  const located = locateMark(document, text, mark);
  const reading = new LenientReader(document);
  const root = located && reading.data(document.contents);
  return {
    faults: document.errors.length,
    dangling: reading.dangling,
    ...(located && { found: { ...located, root } }),
  };
}

function locateMark(
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
    if (isPair(node)) return [keyOf(node)?.name ?? UNNAMED];
    const list = nodes[index - 1];
    if (!isSeq(list)) return [];
    return [index === nodes.length - 1 ? Number(last) : list.items.indexOf(node)];
  });
}
