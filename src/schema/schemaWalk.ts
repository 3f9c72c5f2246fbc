import type * as z from 'zod';
import { isMapping, type Path, valueAt } from '../core/data/data.ts';

/** A key that is allowed at a path. */
export interface KeyInfo {
  readonly name: string;
  readonly required: boolean;
  readonly documentation: string | undefined;
  readonly schema: z.core.$ZodType;
}

type Schema = z.core.$ZodType;

interface Definition {
  readonly type: string;
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly options?: readonly Schema[];
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly element?: Schema;
  readonly valueType?: Schema;
  readonly items?: readonly Schema[];
  readonly entries?: Readonly<Record<string, string | number>>;
  readonly values?: readonly unknown[];
  readonly discriminator?: string;
  readonly defaultValue?: unknown;
  readonly format?: string;
  readonly checks?: readonly z.core.$ZodCheck[];
  readonly getter?: () => Schema;
}

export function definition(schema: Schema): Definition {
  return schema._zod.def as unknown as Definition;
}

/** Unwraps optional and default schemas. @param open whether to resolve lazy schemas, too */
export function unwrap(schema: Schema, open = true): Schema {
  const { innerType, in: input, getter } = definition(schema);
  const inner = innerType ?? input ?? (open ? getter?.() : undefined);
  return inner ? unwrap(inner, open) : schema;
}

/** The metadata of a schema and of the schemas that it wraps. Lazy schemas aren't resolved. */
export function metaOf(schema: Schema): z.core.GlobalMeta {
  const { innerType, in: input } = definition(schema);
  const inner = innerType ?? input;
  return { ...(inner && metaOf(inner)), ...(schema as z.ZodType).meta?.() };
}

export function documentationOf(schema: Schema): string | undefined {
  return metaOf(schema).description ?? metaOf(unwrap(schema)).description;
}

/**
 * The value that applies if a key is omitted: zod's default, or the `default` in its `meta` if something else supplies
 * it, such as the file's `defaults`. Undefined if there is none.
 */
export function defaultOf(schema: Schema): unknown {
  const { type, innerType, in: input, defaultValue } = definition(schema);
  if (type === 'default' || type === 'prefault') return defaultValue;
  const stated = (schema as z.ZodType).meta?.()?.default;
  if (stated !== undefined) return stated;
  const inner = type === 'pipe' ? input : innerType;
  return inner && defaultOf(inner);
}

/** Text such as `` Default: `10` ``; undefined if there is no default. */
export function defaultText(value: unknown): string | undefined {
  return value === undefined
    ? undefined
    : `Default: \`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

/** Whether only other tools write a key. Such a key is allowed, but never suggested. */
export function isUnread(schema: Schema): boolean {
  return metaOf(schema).readOnly === true;
}

/** The branches that match a value, which may be incomplete. If none matches, returns all branches. */
function branches(schema: Schema, value: unknown): Schema[] {
  const plain = unwrap(schema);
  const { options, discriminator } = definition(plain);
  if (!options) return [plain];
  const all = options.flatMap((option) => branches(option, value));
  const fitting = all.filter((branch) => fits(branch, value));
  const candidates = fitting.length > 0 ? fitting : all;
  return discriminator === undefined ? narrowByKeys(candidates, value) : candidates;
}

/** The mapping schemas that share the most keys with the value. */
function narrowByKeys(candidates: Schema[], value: unknown): Schema[] {
  if (!isMapping(value) || candidates.length < 2) return candidates;
  const known = (schema: Schema) =>
    Object.keys(value).filter((key) => Object.hasOwn(definition(schema).shape ?? {}, key)).length;
  const most = Math.max(...candidates.map(known));
  return most === 0 ? candidates : candidates.filter((schema) => known(schema) === most);
}

function fits(schema: Schema, value: unknown): boolean {
  const { type, shape } = definition(schema);
  if (Array.isArray(value)) return type === 'array' || type === 'tuple';
  if (!isMapping(value)) return !['object', 'record', 'array', 'tuple'].includes(type);
  if (type === 'record') return true;
  if (type !== 'object' || !shape) return false;
  return Object.entries(shape).every(([key, field]) => {
    const { type: kind, values } = definition(unwrap(field));
    return kind !== 'literal' || value[key] === undefined || (values ?? []).includes(value[key]);
  });
}

/** The schemas at a path into `value`; empty if there are none. */
export function schemasAt(root: Schema, value: unknown, path: Path): Schema[] {
  return schemasAlong(root, value, path, (one) => one);
}

/** @param seen replaces the values on the path, by depth */
function schemasAlong(
  root: Schema,
  value: unknown,
  path: Path,
  seen: (value: unknown, depth: number) => unknown,
): Schema[] {
  let current = seen(value, 0);
  let schemas = branches(root, current);
  for (const [depth, step] of path.entries()) {
    const inner = seen(valueAt(current, [step]), depth + 1);
    const next = schemas
      .flatMap((schema) => stepInto(schema, step))
      .flatMap((one) => branches(one, inner));
    // For a message, there are branches from all the dialects.
    const fitting = isMapping(inner) ? next.filter((one) => fits(one, inner)) : [];
    schemas = fitting.length > 0 ? fitting : next;
    current = inner;
  }
  return [...new Set(schemas)];
}

function stepInto(schema: Schema, step: string | number): Schema[] {
  const { shape, element, valueType, items } = definition(schema);
  if (typeof step === 'number') {
    const item = items?.[step] ?? element;
    return item ? [item] : [];
  }
  const field = shape && Object.hasOwn(shape, step) ? shape[step] : valueType;
  return field ? [field] : [];
}

export function keyInfo(name: string, schema: Schema): KeyInfo {
  // A key with a default is optional, too.
  const required = schema._zod.optin === undefined;
  return { name, required, documentation: documentationOf(schema), schema };
}

/** The keys allowed in the mapping at a path. */
export function keysAt(root: Schema, value: unknown, path: Path): KeyInfo[] {
  const keys = new Map<string, KeyInfo>();
  for (const schema of schemasAt(root, value, path)) {
    for (const [name, field] of Object.entries(definition(schema).shape ?? {})) {
      if (!keys.has(name)) keys.set(name, keyInfo(name, field));
    }
  }
  return [...keys.values()];
}

/** The allowed values at a path, if they're enumerated. */
export function valuesAt(
  root: Schema,
  value: unknown,
  path: Path,
): { readonly value: string; readonly documentation: string | undefined }[] {
  // A discriminator would select only the current value, so the discriminator's key is left out.
  const open = (one: unknown, depth: number) =>
    depth === path.length - 1 ? withoutKey(one, path.at(-1)) : one;
  const found = new Map<string, string | undefined>();
  for (const schema of schemasAlong(root, value, path, open)) {
    const { type, values, entries } = definition(schema);
    const texts =
      type === 'boolean' ? ['true', 'false'] : [...(values ?? []), ...Object.values(entries ?? {})];
    for (const text of texts) {
      if (!found.has(String(text))) found.set(String(text), documentationOf(schema));
    }
  }
  return [...found].map(([text, documentation]) => ({ value: text, documentation }));
}

function withoutKey(value: unknown, key: string | number | undefined): unknown {
  if (typeof key !== 'string' || !isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}
