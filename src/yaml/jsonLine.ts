import type { Path } from '../core/data/data.ts';
import { runSync, type Work } from '../node/cooperative.ts';
import type { Span } from './nodes.ts';
import { placesIn, readYaml, type YamlDocument } from './yamlDocument.ts';

/** Maximum number of characters, because longer text may exceed the limits for YAML. */
const MAX_LENGTH = 1_000_000;

/** Maximum length of a key; YAML doesn't allow longer ones. */
const MAX_KEY_LENGTH = 1_000;

/**
 * Reads a line of valid JSON at a tenth of the cost of `parseYaml`: it's parsed as YAML only if a range other than a
 * list item's is needed, for example to report a problem. Undefined if YAML could read it differently from JSON.
 *
 * @param line in its file, from 0
 */
export function readJsonLine(text: string, path: string, line = 0): YamlDocument | undefined {
  if (text.length > MAX_LENGTH || /[\r\n]|__proto__/.test(text)) return undefined;
  const items = itemsIn(text);
  if (!items) return undefined;
  const origin = { line, character: 0 };
  const places = placesIn(text, origin);
  let parsed: YamlDocument | undefined;
  const whole = () => {
    parsed ??= runSync(readYaml(text, path, origin));
    return parsed;
  };
  return {
    path,
    text,
    value: JSON.parse(text),
    problems: [],
    caseOf: () => undefined,
    rangeOf: (at) => whole().rangeOf(at),
    keyRangeOf: (at) => whole().keyRangeOf(at),
    entryRangeOf(at) {
      const span = items.get(keyOf(at));
      return span ? places.rangeOfOffsets(...span) : whole().entryRangeOf(at);
    },
    scalarAt: (at, part) => whole().scalarAt(at, part),
    pathAt: (position) => whole().pathAt(position),
    ...places,
    get root() {
      return whole().root;
    },
  };
}

function keyOf(path: Path): string {
  return path.join('\n');
}

/** A list or mapping that hasn't ended yet. */
interface OpenContainer {
  readonly start: number;
  /** The keys of a mapping so far. */
  readonly keys?: Set<string>;
  /** The key or index of its next entry. */
  at: string | number;
  /** Whether the next string in a mapping is a key. */
  awaitsKey: boolean;
}

/** The spans of lists and mappings inside lists, by path; undefined if there are duplicate or unusual keys. */
function itemsIn(text: string): ReadonlyMap<string, Span> | undefined {
  const items = new Map<string, Span>();
  const open: OpenContainer[] = [];
  for (let offset = 0; offset < text.length; offset += 1) {
    const inner = open.at(-1);
    switch (text[offset]) {
      case '{':
        open.push({ start: offset, keys: new Set(), at: '', awaitsKey: true });
        break;
      case '[':
        open.push({ start: offset, at: 0, awaitsKey: false });
        break;
      case '}':
      case ']': {
        open.pop();
        const isItem = typeof open.at(-1)?.at === 'number';
        if (inner && isItem) items.set(keyOf(open.map(({ at }) => at)), [inner.start, offset + 1]);
        break;
      }
      case ',':
        if (typeof inner?.at === 'number') inner.at += 1;
        else if (inner) inner.awaitsKey = true;
        break;
      case '"': {
        const end = endOfString(text, offset);
        if (inner?.keys && inner.awaitsKey) {
          const key = text.slice(offset + 1, end);
          if (inner.keys.has(key) || key.includes('\\') || key.length > MAX_KEY_LENGTH)
            return undefined;
          inner.keys.add(key);
          inner.at = key;
          inner.awaitsKey = false;
        }
        offset = end;
        break;
      }
      default:
    }
  }
  return items;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, offset: number): boolean {
  let before = offset - 1;
  while (text[before] === '\\') before -= 1;
  return (offset - before) % 2 === 0;
}

/** Reads a line of a file as a document. @param number line number, from 1 */
export function* readLine(content: string, path: string, number: number): Work<YamlDocument> {
  const text = content.replace(/^\uFEFF/, ' ');
  const line = number - 1;
  return readJsonLine(text, path, line) ?? (yield* readYaml(text, path, { line, character: 0 }));
}
