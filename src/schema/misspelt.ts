import type * as z from 'zod';
import { nearest } from '../core/closest.ts';
import { changedAt, type Path, valueAt } from '../core/data.ts';
import { rivalKey } from '../evalfile/rivalNames.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import { type Leaf, leavesOf } from './schemaIssues.ts';
import { keysAt } from './schemaWalk.ts';

/** A key that stands for another one: `asert` where `assert` was meant. */
export interface Misspelt {
  /** Of its mapping, in the value as it was meant. */
  readonly owner: Path;
  readonly written: string;
  readonly meant: string;
  /** Further keys that may have been meant, the likeliest first. */
  readonly others: readonly string[];
  /** The tool whose name for `meant` it is. */
  readonly rival?: string;
}

export interface Meant {
  /** The value with every misspelt key as it was meant. */
  readonly value: unknown;
  readonly misspelt: readonly Misspelt[];
  /** What is wrong with it beside. */
  readonly leaves: readonly Leaf[];
}

/** A misspelt `type` hides misspelt keys under it, those hide more: deeper than this nobody errs. */
const MAX_ROUNDS = 8;

/**
 * Reads a value as it was meant, so that a misspelt key is one mistake and not two: without this
 * `{typ: contains, value: x}` lacks a type as well, and a misspelt `models` makes every name of a
 * model unknown.
 */
export function asMeant(schema: z.ZodType, given: unknown): Meant {
  const misspelt: Misspelt[] = [];
  let value = given;
  for (let round = 0; ; round += 1) {
    const leaves = leavesOf(schema, value);
    const found = round < MAX_ROUNDS ? misspeltIn(leaves, schema, value) : [];
    if (found.length === 0) return { value, misspelt, leaves };
    for (const one of found) value = renamed(value, one);
    misspelt.push(...found);
  }
}

function misspeltIn(leaves: readonly Leaf[], schema: z.ZodType, value: unknown): Misspelt[] {
  const found = new Map<string, Misspelt>();
  const add = (one: Misspelt | undefined) => {
    if (!one) return;
    const same = (other: Misspelt) => other.written === one.written || other.meant === one.meant;
    const there = [...found.values()].some(
      (other) => JSON.stringify(other.owner) === JSON.stringify(one.owner) && same(other),
    );
    if (!there) found.set(JSON.stringify([one.owner, one.written]), one);
  };
  for (const { issue, path } of leaves) {
    const owner = path.slice(0, -1);
    const last = path.at(-1);
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) add(meantBy(key, path, schema, value));
    } else if (typeof last === 'string' && !Object.hasOwn(Object(valueAt(value, owner)), last)) {
      add(misspeltFor(last, owner, schema, value));
    }
  }
  return [...found.values()];
}

function meantBy(key: string, owner: Path, schema: z.ZodType, value: unknown) {
  const free = keysAt(schema, value, owner)
    .filter(({ name }) => !Object.hasOwn(Object(valueAt(value, owner)), name))
    // Of two that are as near, the one that may not be left out.
    .sort((a, b) => Number(b.required) - Number(a.required))
    .map(({ name }) => name);
  const rival = rivalKey(key, free);
  if (rival) return { owner, written: key, meant: rival.meant, others: [], rival: rival.tool };
  const [meant, ...others] = nearest(key, free);
  return meant === undefined ? undefined : { owner, written: key, meant, others };
}

/** The stranger in a mapping that was meant for a key that is missing. */
function misspeltFor(
  missing: string,
  owner: Path,
  schema: z.ZodType,
  value: unknown,
): Misspelt | undefined {
  const known = keysAt(schema, value, owner).map(({ name }) => name);
  const strangers = Object.keys(Object(valueAt(value, owner))).filter(
    (key) => !known.includes(key),
  );
  const written = strangers.find(
    (stranger) => (rivalKey(stranger, [missing]) ?? nearest(stranger, [missing])[0]) !== undefined,
  );
  if (written === undefined) return undefined;
  const rival = rivalKey(written, [missing]);
  return { owner, written, meant: missing, others: [], ...(rival && { rival: rival.tool }) };
}

function renamed(value: unknown, { owner, written, meant }: Misspelt): unknown {
  return changedAt(value, owner, (mapping) =>
    Object.fromEntries(
      Object.entries(Object(mapping)).map(([name, inner]) => [
        name === written ? meant : name,
        inner,
      ]),
    ),
  );
}

/** The path at which something stands in the text, given its path in the value as it was meant. */
export function pathAsWritten(path: Path, misspelt: readonly Misspelt[]): Path {
  if (misspelt.length === 0) return path;
  return path.map((step, index) => {
    const found = misspelt.find(
      ({ owner, meant }) =>
        meant === step &&
        owner.length === index &&
        owner.every((one, place) => one === path[place]),
    );
    return found ? found.written : step;
  });
}

/** A document in which places are asked for by the keys that were meant. */
export function documentAsMeant(
  document: YamlDocument,
  misspelt: readonly Misspelt[],
): YamlDocument {
  if (misspelt.length === 0) return document;
  return {
    ...document,
    rangeOf: (path) => document.rangeOf(pathAsWritten(path, misspelt)),
    keyRangeOf: (path) => document.keyRangeOf(pathAsWritten(path, misspelt)),
    entryRangeOf: (path) => document.entryRangeOf(pathAsWritten(path, misspelt)),
  };
}
