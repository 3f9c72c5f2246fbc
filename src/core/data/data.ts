import { LIMITS, readable } from '../limits.ts';

/** Plain data, as parsed from YAML and JSON. */
export type Mapping = Readonly<Record<string, unknown>>;

/** Keys and list indexes, from the outside in. */
export type Path = readonly (string | number)[];

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an empty mapping for anything else. */
export function mappingOf(value: unknown): Mapping {
  return isMapping(value) ? value : {};
}

/** The value at a path, or undefined. Inherited properties don't count. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step))
      return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

/** The first of these keys with text that isn't blank. */
export function textIn(mapping: Mapping, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = mapping[key];
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (typeof value === 'number') return stringOf(value);
  }
  return undefined;
}

export function samePath(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((step, index) => step === b[index]);
}

/** A copy with the value at a path changed; missing mappings along it are created. */
export function withValueAt(
  root: unknown,
  path: Path,
  change: (value: unknown) => unknown,
): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return change(root);
  const inner = withValueAt(valueAt(root, [step]), rest, change);
  if (Array.isArray(root)) return root.map((item, index) => (index === step ? inner : item));
  return { ...mappingOf(root), [step]: inner };
}

export function groupBy<Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): Map<Key, [Item, ...Item[]]> {
  const groups = new Map<Key, [Item, ...Item[]]>();
  for (const item of items) addTo(groups, keyOf(item), item);
  return groups;
}

export function addTo<Key, Item>(groups: Map<Key, Item[]>, key: Key, item: Item): void {
  const group = groups.get(key);
  if (group) group.push(item);
  else groups.set(key, [item]);
}

/** Like `push(...items)`, which overflows the stack if there are about 100,000 items. */
export function pushAll<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}

/** Adds an item to a set of the most recently added items. */
export function addRecent<Item>(recent: Set<Item>, item: Item, limit: number): void {
  recent.add(item);
  for (const oldest of recent) {
    if (recent.size <= limit) break;
    recent.delete(oldest);
  }
}

export function uniqueBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => unknown): Item[] {
  const firsts = new Map<unknown, Item>();
  for (const item of items) {
    const key = keyOf(item);
    if (!firsts.has(key)) firsts.set(key, item);
  }
  return [...firsts.values()];
}

/** The last item that matches, in a list whose matching items come first. */
export function binarySearchLast<Item>(
  items: readonly Item[],
  matches: (item: Item) => boolean,
): Item | undefined {
  return items[countFirst(items, matches) - 1];
}

/** Number of matching items, in a list whose matching items come first. */
export function countFirst<Item>(items: readonly Item[], matches: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (matches(items[middle] as Item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Any value as text. Unlike `String`, it doesn't throw for objects with a `toString` key. */
export function stringOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

export function firstFree(
  nameOf: (number: number) => string,
  isTaken: (name: string) => boolean,
): string {
  let number = 1;
  while (isTaken(nameOf(number))) number += 1;
  return nameOf(number);
}

/** Returns a function that generates unused names, such as `refund-2` and `refund-3`. */
export function freeNames(
  taken: ReadonlySet<unknown>,
  nameOf: (name: string, number: number) => string,
): (name: string) => string {
  const next = new Map<string, number>();
  return (name) => {
    let number = next.get(name) ?? 2;
    while (taken.has(nameOf(name, number))) number += 1;
    next.set(name, number + 1);
    return nameOf(name, number);
  };
}

/** Whether JSON text exceeds the nesting limit. @param json bytes are UTF-8 */
export function isTooDeep(json: string | Uint8Array): boolean {
  return shapeOf(json).isTooDeep;
}

/**
 * Why JSON text can't be parsed, such as `is nested too deeply`; undefined if it can. Once parsed, a list of empty
 * mappings takes up a hundred times as much memory as its text.
 *
 * @param json bytes are UTF-8
 */
export function jsonExcess(json: string | Uint8Array, maxValues?: number): string | undefined {
  return shapeOf(json).excess(maxValues);
}

function shapeOf(json: string | Uint8Array): JsonShape {
  return new JsonShape().add(typeof json === 'string' ? new TextEncoder().encode(json) : json);
}

/**
 * Whether a value's JSON is certain to stay within the given number of bytes and the other limits. Faster than
 * `jsonExcess`, because strings are only measured.
 */
export function isSmallJson(value: unknown, maxBytes: number): boolean {
  let [bytes, values] = [0, 0];
  const fits = (one: unknown, depth: number): boolean => {
    values += 1;
    // An escaped unit takes up to six bytes; a number takes fewer than 30.
    bytes += typeof one === 'string' ? one.length * 6 + 3 : 30;
    if (bytes > maxBytes || values > LIMITS.values || depth > LIMITS.depth) return false;
    if (typeof one !== 'object' || one === null) return true;
    if (Array.isArray(one)) return one.every((entry) => fits(entry, depth + 1));
    for (const key in one) {
      bytes += key.length * 6 + 4;
      if (!fits(Reflect.get(one, key), depth + 1)) return false;
    }
    return true;
  };
  return fits(value, 1);
}

/** Parses JSON; undefined if it's invalid or exceeds a limit. */
export function parseJson(text: string, maxValues?: number): unknown {
  return jsonExcess(text, maxValues) === undefined ? shallowJson(text) : undefined;
}

/** Parses JSON without checking limits; undefined if it's invalid. */
export function shallowJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function jsonOrText(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}

/** The parsed value if this is JSON text; otherwise, the value unchanged. */
export function parseJsonText(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[[{"]/.test(value) ? jsonOrText(value) : value;
}

/** Caches a pure function's result for each argument object. */
export function memoize<Thing extends object, Made>(
  make: (thing: Thing) => Made,
): (thing: Thing) => Made {
  const known = new WeakMap<Thing, { readonly made: Made }>();
  return (thing) => {
    const found = known.get(thing) ?? { made: make(thing) };
    known.set(thing, found);
    return found.made;
  };
}

/** Prevents an assertion from changing the next one's input. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}

/** A deep-frozen copy of JSON data. Frozen parts aren't copied. */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  const entries = Object.entries(value).map(([key, one]) => [key, frozenCopy(one)]);
  return Object.freeze(Object.fromEntries(entries));
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** Character code of `[`; the code of `{` differs by one bit. */
const OPENS = 0x5b;
const CLOSES = 0x5d;
const BRACE = 0x20;

type State = readonly [depth: number, commas: number, isQuoted: boolean, isEscaped: boolean];

/** Measures JSON text before it is parsed, in pieces of any size. */
export class JsonShape {
  #state: State = [0, 0, false, false];

  /** Whether the nesting limit is exceeded; scanning stops there. */
  get isTooDeep(): boolean {
    return this.#state[0] > LIMITS.depth;
  }

  /** Approximate number of list entries and mapping keys. */
  get values(): number {
    return this.#state[1] + 1;
  }

  /** Why the text can't be parsed, such as `is nested too deeply`; undefined if it can. */
  excess(maxValues: number = LIMITS.values): string | undefined {
    if (this.isTooDeep) return 'is nested too deeply';
    return this.values > maxValues ? `has more than ${readable(maxValues)} values` : undefined;
  }

  /** @param piece UTF-8 */
  add(piece: Uint8Array): this {
    const { depth: deepest } = LIMITS;
    // Local variables are faster, and the text may have millions of bytes.
    let [depth, commas, isQuoted, isEscaped] = this.#state;
    const { length } = piece;
    for (let at = 0; at < length && depth <= deepest; at += 1) {
      const byte = piece[at] as number;
      if (isEscaped) isEscaped = false;
      else if (byte === QUOTE) isQuoted = !isQuoted;
      else if (isQuoted) isEscaped = byte === BACKSLASH;
      else if (byte === COMMA) commas += 1;
      else if ((byte & ~BRACE) === OPENS) depth += 1;
      else if ((byte & ~BRACE) === CLOSES) depth -= 1;
    }
    this.#state = [depth, commas, isQuoted, isEscaped];
    return this;
  }
}

/** A JSON Pointer (RFC 6901), such as `/choices/0/text`; empty for the whole document. */
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

export function isJsonPointer(text: string): boolean {
  return POINTER.test(text);
}

export function valueAtPointer(root: unknown, pointer: string): unknown {
  return valueAt(root, pointerSteps(pointer));
}

export function pointerSteps(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
