import type * as z from 'zod';
import {
  type Mapping,
  mappingOf,
  type Path,
  pushAll,
  samePath,
  valueAt,
  withValueAt,
} from '../core/data/data.ts';
import { LIMITS } from '../core/limits.ts';
import { nearest } from '../core/text/closest.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import { countMistakes, type Leaf, type ValidationResult, validate } from './issues.ts';
import { definition, keysAt, schemasAt, valuesAt } from './schemaWalk.ts';

/** A key to correct, such as `asert` for `assert`. */
export interface MisspelledKey {
  /** The path of the mapping that contains it, in the corrected value. */
  readonly owner: Path;
  readonly written: string;
  readonly meant: string;
  readonly why:
    | {
        readonly kind: 'near';
        /** Other candidates, most likely first. */
        readonly others: readonly string[];
      }
    | { readonly kind: 'foreign'; readonly name: ForeignName }
    /** The space after the key's colon is missing: `{value:"x"}`. */
    | { readonly kind: 'glued' }
    /** It's the only unknown key, and `meant` is the only missing key: `value` of a `regex`. */
    | { readonly kind: 'only' };
}

/** A value with corrected keys, and its remaining issues. */
export interface CorrectedValue extends ValidationResult {
  readonly misspelled: readonly MisspelledKey[];
}

/** A misspelled `type` hides misspelled keys below it, so each level takes another round. */
const MAX_ROUNDS = 8;

/**
 * Corrects misspelled keys, so that each causes one problem instead of two: otherwise, `{typ: contains, value: x}`
 * would also be reported as lacking a type, and a misspelled `models` would make every model unknown.
 */
export function correctKeys(
  schema: z.ZodType,
  given: unknown,
  foreign?: ForeignNames,
): CorrectedValue {
  const misspelled: MisspelledKey[] = [];
  let value = given;
  for (let round = 0; ; round += 1) {
    const read = validate(schema, value);
    // If there are more issues than reported, no correction is reliable.
    const isReadable =
      round < MAX_ROUNDS && countMistakes(read.leaves.map(({ issue }) => issue)) <= LIMITS.problems;
    const found = isReadable ? misspelledIn({ schema, ...read, foreign }) : [];
    if (found.length === 0) return { ...read, misspelled };
    for (const one of found) value = renamed(value, one);
    pushAll(misspelled, found);
  }
}

interface Reading {
  readonly schema: z.ZodType;
  readonly value: unknown;
  readonly leaves: readonly Leaf[];
  readonly foreign: ForeignNames | undefined;
}

function misspelledIn(reading: Reading): MisspelledKey[] {
  const { value, leaves } = reading;
  const found: MisspelledKey[] = [];
  const add = (one: MisspelledKey | undefined) => {
    if (one && !found.some((other) => isSame(other, one))) found.push(one);
  };
  for (const { issue, path } of leaves) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) add(correctionOf(key, path, reading));
    } else {
      const missing = missingKey(value, path);
      if (missing !== undefined) add(misspellingOf(missing, path.slice(0, -1), reading));
    }
  }
  return found.length > 0 ? found : onlyOnes(reading);
}

/** Whether two corrections conflict: each key has one correction, and each correction is for one key. */
function isSame(a: MisspelledKey, b: MisspelledKey): boolean {
  return (a.written === b.written || a.meant === b.meant) && samePath(a.owner, b.owner);
}

/** The last key in a path, if its mapping lacks that key. */
export function missingKey(value: unknown, path: Path): string | undefined {
  const last = path.at(-1);
  if (typeof last !== 'string') return undefined;
  return Object.hasOwn(Object(valueAt(value, path.slice(0, -1))), last) ? undefined : last;
}

/** The allowed key that the author of an unknown key probably meant. */
function correctionOf(written: string, owner: Path, reading: Reading): MisspelledKey | undefined {
  const { schema, value } = reading;
  const free = keysAt(schema, value, owner)
    .filter(({ name }) => missingKey(value, [...owner, name]) !== undefined)
    // If two keys are equally close, prefers a required one.
    .sort((a, b) => Number(b.required) - Number(a.required))
    .map(({ name }) => name);
  return correctionAmong(free, written, owner, reading);
}

function correctionAmong(
  free: readonly string[],
  written: string,
  owner: Path,
  { value, foreign }: Reading,
): MisspelledKey | undefined {
  const name = foreign?.ofKey(written, free, mappingOf(valueAt(value, owner)));
  if (name) return { owner, written, meant: name.meant, why: { kind: 'foreign', name } };
  if (foreign?.adviceOn(written) !== undefined) return undefined;
  const glued = gluedKey(written, free);
  if (glued !== undefined) return { owner, written, meant: glued, why: { kind: 'glued' } };
  const [meant, ...others] = nearest(written, free);
  return meant === undefined ? undefined : { owner, written, meant, why: { kind: 'near', others } };
}

/** The key in text such as `{value:"x"}`, which YAML reads as a key without a value: `value`. */
function gluedKey(written: string, known: readonly string[]): string | undefined {
  const [key = '', ...rest] = written.split(':');
  return rest.length > 0 && known.includes(key) ? key : undefined;
}

/** The unknown key that was probably meant to be a missing one. */
function misspellingOf(missing: string, owner: Path, reading: Reading): MisspelledKey | undefined {
  const known = keysAt(reading.schema, reading.value, owner).map(({ name }) => name);
  for (const written of Object.keys(Object(valueAt(reading.value, owner)))) {
    if (known.includes(written)) continue;
    const found = correctionAmong([missing], written, owner, reading);
    if (found) return found;
  }
  return undefined;
}

/**
 * If there is exactly one unknown key and one missing key, treats them as the same key if the value is valid for the
 * missing one:
 *
 * - { type: regex, value: '\d+' }      `value` is `pattern` here
 */
function onlyOnes({ schema, value, leaves, foreign }: Reading): MisspelledKey[] {
  return leaves.flatMap(({ issue, path: owner }): MisspelledKey[] => {
    if (issue.code !== 'unrecognized_keys') return [];
    const [written, ...more] = issue.keys;
    const [lacking, ...further] = leaves.filter(
      ({ path }) => missingKey(value, path) !== undefined && samePath(path.slice(0, -1), owner),
    );
    const meant = lacking && missingKey(value, lacking.path);
    if (written === undefined || meant === undefined || more.length + further.length > 0) return [];
    if (foreign?.adviceOn(written) !== undefined) return [];
    if (colonTextAt(schema, value, owner, foreign)) return [];
    const field = keysAt(schema, value, owner).find(({ name }) => name === meant)?.schema;
    const fits = (field as z.ZodType | undefined)?.safeParse(valueAt(value, [...owner, written]));
    return fits?.success ? [{ owner, written, meant, why: { kind: 'only' } }] : [];
  });
}

function renamed(value: unknown, { owner, written, meant, why }: MisspelledKey): unknown {
  return withValueAt(value, owner, (mapping) => {
    const entries = Object.entries(Object(mapping));
    const kept =
      why.kind === 'foreign' ? entries.filter(([name]) => name !== why.name.without) : entries;
    return Object.fromEntries(
      kept.map(([name, inner]) => [name === written ? meant : name, inner]),
    );
  });
}

/** The path in the text that corresponds to a path in the corrected value. */
export function pathAsWritten(path: Path, misspelled: readonly MisspelledKey[]): Path {
  if (misspelled.length === 0) return path;
  return path.map((step, index) => {
    const above = path.slice(0, index);
    const found = misspelled.find(({ owner, meant }) => meant === step && samePath(owner, above));
    return found ? found.written : step;
  });
}

/** A document whose methods accept paths with corrected keys. */
export function withCorrectedKeys(
  document: YamlDocument,
  misspelled: readonly MisspelledKey[],
): YamlDocument {
  if (misspelled.length === 0) return document;
  return {
    ...document,
    rangeOf: (path) => document.rangeOf(pathAsWritten(path, misspelled)),
    keyRangeOf: (path) => document.keyRangeOf(pathAsWritten(path, misspelled)),
    entryRangeOf: (path) => document.entryRangeOf(pathAsWritten(path, misspelled)),
  };
}

/** Text with a colon that YAML reads as a mapping, and the key of that mapping. */
export interface ColonText {
  readonly path: Path;
  readonly key: string;
}

/**
 * The text at or around a path, in a list, if YAML reads it as a mapping because of its colon:
 *
 * turns:
 * - Hello: are you there
 *
 * If the key resembles a known one, it is misspelled instead. A mapping with several keys really is a mapping.
 */
export function colonTextAt(
  schema: z.ZodType,
  value: unknown,
  at: Path,
  foreign?: ForeignNames,
): ColonText | undefined {
  const path = at.slice(0, at.findLastIndex((step) => typeof step === 'number') + 1);
  const [key, ...others] = Object.keys(mappingOf(valueAt(value, path)));
  if (path.length === 0 || key === undefined || others.length > 0) return undefined;
  const inner = valueAt(value, [...path, key]);
  if (typeof inner === 'object' && inner !== null) return undefined;
  if (!takesText(schema, value, path)) return undefined;
  const known = keysAt(schema, value, path).map(({ name }) => name);
  const values = known.flatMap((name) => valuesAt(schema, value, [...path, name]));
  // The text resembles a key, or a missing key's value: `contains` for `type: contains`.
  if (nearest(key, [...known, ...values.map((one) => one.value)]).length > 0) return undefined;
  const isForeign = foreign?.ofKey(key, known, { [key]: inner }) ?? foreign?.adviceOn(key);
  return isForeign === undefined ? { path, key } : undefined;
}

function takesText(schema: z.ZodType, value: unknown, path: Path): boolean {
  const asText = withValueAt(value, path, () => 'text');
  return schemasAt(schema, asText, path).some((one) => definition(one).type === 'string');
}

/** Our equivalent for another tool's name. */
export interface ForeignName {
  readonly meant: string;
  /** Additional keys to set, such as `ignore_case: true`. */
  readonly beside?: Readonly<Record<string, boolean>>;
  /** Another key to remove. */
  readonly without?: string;
  /** Another key to rename, if it exists. */
  readonly rename?: readonly [from: string, to: string];
  /** Whether the mapping should be removed, because `meant` would change its meaning. */
  readonly isMisplaced?: boolean;
  /** The equivalent entries, with `meant` first; set if the value also changes. */
  readonly instead?: Readonly<Record<string, unknown>>;
  /** A sentence for the eval file's author. */
  readonly message: string;
}

/** A replacement for a value of the wrong kind, which the author should review. */
export interface MeantValue {
  readonly meant: unknown;
  readonly message: string;
}

/** Other tools' names for a schema's keys and values. */
export interface ForeignNames {
  /** @param known the allowed keys @param owner the mapping that contains the key */
  ofKey(written: string, known: readonly string[], owner: Mapping): ForeignName | undefined;
  /** Advice for a key without an equivalent, as a sentence. */
  adviceOn(written: string): string | undefined;
  /** @param known the allowed values of the key */
  ofValue(written: string, key: string, known: readonly string[]): ForeignName | undefined;
  /** The replacement for a value of the wrong kind. */
  ofKind(written: unknown, key: string): MeantValue | undefined;
}
