import { type Document, isMap, isNode, isSeq } from 'yaml';
import { changedAt } from '../core/data/data.ts';
import { errorText } from '../core/errors.ts';
import { keyOf, valueUnder } from './nodes.ts';
import type { ParsedText } from './parsedText.ts';
import type { Reparsed } from './reparse.ts';
import { TolerantReading } from './tolerantReading.ts';

/** Aliases may stand for this many nodes in all: enough for reuse, too little for a bomb. */
const MAX_ALIASES = 100;

type Unreadable = ReadonlySet<number | undefined>;

/**
 * The data of a text; of items of `cases` that are not all readable as much as can be read.
 * Undefined if nothing can be made of it.
 */
export function documentValue(
  parsed: ParsedText,
  unreadable: Unreadable,
  say: (code: string, message: string) => void,
): unknown {
  const { document, faults, refused } = parsed;
  if (refused || unreadable.has(undefined)) return undefined;
  try {
    if (unreadable.size === 0) return document.toJS({ maxAliasCount: MAX_ALIASES });
    return tolerantValue(document, unreadable);
  } catch (error) {
    if (error instanceof ReferenceError && /alias/i.test(error.message)) {
      const message = `The aliases expand to more than ${MAX_ALIASES} nodes. Write the values out.`;
      say('too-many-aliases', message);
    } else if (faults.length === 0) {
      const reason = errorText(error);
      say('yaml-syntax', `This is not valid YAML: ${reason}`);
    }
    return undefined;
  }
}

/** The data of an earlier version with the item that was parsed anew. */
export function reparsedValue(
  before: unknown,
  { document, index }: Reparsed,
  unreadable: Unreadable,
): unknown {
  const list = valueUnder(document.contents, 'cases');
  const node: unknown = isSeq(list) ? list.items[index] : undefined;
  return changedAt(before, ['cases', index], () =>
    itemValue(node, unreadable.has(index), document),
  );
}

function tolerantValue(document: Document.Parsed, unreadable: Unreadable): unknown {
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
  if (tolerantly) return new TolerantReading(document).data(node);
  return isNode(node) ? node.toJS(document, { maxAliasCount: MAX_ALIASES }) : null;
}
