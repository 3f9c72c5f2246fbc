import { type Document, isCollection, isPair, isSeq, visit } from 'yaml';
import type { Path } from '../core/data/data.ts';
import type { Work } from '../node/cooperative.ts';
import { LenientReader } from './documentValue.ts';
import { keyOf, type Style, startOf, styleOf } from './nodes.ts';
import { parse } from './parser.ts';

/** Replaces a key that isn't plain text. */
const UNNAMED = '?';

/** The position of a marker in YAML text, which may be incomplete. */
export interface MarkedYaml {
  /** The readable data, including the marker's key or value. */
  readonly root: unknown;
  /** The path of the value or key that contains the marker. */
  readonly path: Path;
  readonly onKey: boolean;
  readonly style: Style;
  /** Start of the content, without its quotes. */
  readonly start: number;
  readonly end: number;
  /** Whether the marker is within `[…]` or `{…}`. */
  readonly inFlow: boolean;
  /** Start of the key that contains the marker, or whose value contains it; absent in lists. */
  readonly keyStart?: number;
}

export interface MarkSearchResult {
  readonly found?: MarkedYaml;
  readonly faults: number;
  /** Whether any alias has no anchor. */
  readonly dangling: boolean;
}

/** Finds a marker that occurs once. Never throws: text that is nested too deeply isn't read. */
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
): Omit<MarkedYaml, 'root'> | undefined {
  let found: Omit<MarkedYaml, 'root'> | undefined;
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
