import { JsonShape } from './jsonShape.ts';

/** Plain data, as parsed from YAML and JSON. */
export type Mapping = Readonly<Record<string, unknown>>;

/** Keys and list indexes, from the outside in. */
export type Path = readonly (string | number)[];

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The mapping itself, or an empty one for anything else. */
export function mappingOf(value: unknown): Mapping {
  return isMapping(value) ? value : {};
}

/** The value at a path; undefined if there is none. Inherited properties do not count. */
export function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? Reflect.get(value, step)
        : undefined,
    root,
  );
}

export function samePath(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((step, index) => step === b[index]);
}

/** A copy with the value at a path changed; missing mappings on the way are created. */
export function changedAt(root: unknown, path: Path, change: (value: unknown) => unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return change(root);
  const inner = changedAt(valueAt(root, [step]), rest, change);
  if (Array.isArray(root)) return root.map((item, index) => (index === step ? inner : item));
  return { ...mappingOf(root), [step]: inner };
}

/** The items of each key, keys and items in their order. */
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

export function uniqueBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => unknown): Item[] {
  const firsts = new Map<unknown, Item>();
  for (const item of items) {
    const key = keyOf(item);
    if (!firsts.has(key)) firsts.set(key, item);
  }
  return [...firsts.values()];
}

/** The last item that `holds`, of a list in which those that do come first; undefined if none does. */
export function lastOf<Item>(
  items: readonly Item[],
  holds: (item: Item) => boolean,
): Item | undefined {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(items[middle] as Item)) low = middle + 1;
    else high = middle;
  }
  return items[low - 1];
}

/** The first name of a series that is not taken, by its number. */
export function firstFree(
  nameOf: (number: number) => string,
  isTaken: (name: string) => boolean,
): string {
  let number = 1;
  while (isTaken(nameOf(number))) number += 1;
  return nameOf(number);
}

/** Gives out names that are not taken, each once: `refund-2`, `refund-3`. */
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

/** Whether a JSON text is nested deeper than we parse. @param json UTF-8 where it is bytes */
export function isTooDeep(json: string | Uint8Array): boolean {
  return shapeOf(json).isTooDeep;
}

/**
 * Why a JSON text is not parsed, such as `is nested too deep`; undefined if it is. A list of empty mappings takes a
 * hundred times its bytes.
 *
 * @param json UTF-8 where it is bytes
 */
export function jsonExcess(json: string | Uint8Array, maxValues?: number): string | undefined {
  return shapeOf(json).excess(maxValues);
}

function shapeOf(json: string | Uint8Array): JsonShape {
  return new JsonShape().add(typeof json === 'string' ? new TextEncoder().encode(json) : json);
}

/** The value of a JSON text; undefined if it is none, or too much. */
export function parseJson(text: string, maxValues?: number): unknown {
  return jsonExcess(text, maxValues) === undefined ? shallowJson(text) : undefined;
}

/** As `parseJson`, of a text that is known not to be too much. */
export function shallowJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value of a JSON text; the text itself where `parseJson` has none. */
export function jsonOrText(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}

/** What is made of a thing, made once: it is asked for again, and depends on nothing else. */
export function remembered<Thing extends object, Made>(
  make: (thing: Thing) => Made,
): (thing: Thing) => Made {
  const known = new WeakMap<Thing, { readonly made: Made }>();
  return (thing) => {
    const found = known.get(thing) ?? { made: make(thing) };
    known.set(thing, found);
    return found.made;
  };
}

/** Freezes a JSON-like value at every depth, so that one assertion cannot change what the next sees. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
