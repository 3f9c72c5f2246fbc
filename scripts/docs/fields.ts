import type { AssertionType } from '../../src/assertions/contract.ts';
import { assertionSchema } from '../../src/evalfile/assertion/assertionSchema.ts';
import {
  defaultOf,
  defaultText,
  definition,
  isUnread,
  type KeyInfo,
  keyInfo,
  keysAt,
  unwrap,
  valuesAt,
} from '../../src/schema/schemaWalk.ts';
import { table } from './table.ts';
import { isNamed, takes } from './takes.ts';

export type Schema = KeyInfo['schema'];

/** A key of a mapping, or a key within its value. All texts are Markdown. */
export interface Field {
  /** For example, `rubric[].range` or `nodes.NAME.question`. */
  readonly name: string;
  readonly takes: readonly string[];
  readonly needed: boolean;
  readonly default: string;
  readonly meanings: readonly Meaning[];
  /** Whether its value determines the kind of mapping. */
  readonly isKind: boolean;
  /** Whether the key is accepted because other tools write it, but ignored. */
  readonly ignored: boolean;
}

interface Meaning {
  readonly says: string;
  /** The kinds of mappings in which the key has this meaning; empty if it has it in all of them. */
  readonly kinds: readonly string[];
}

/** The keys of an assertion type, including nested ones, but without `type` itself. */
export function fieldsOf({ type, params }: AssertionType): { own: Field[]; shared: Field[] } {
  const keys = keysAt(assertionSchema, { type }, []).filter(({ name }) => name !== 'type');
  const owned = ({ name }: KeyInfo) => Object.hasOwn(params.shape, name);
  return {
    own: keys.filter(owned).flatMap((key) => withInner(key, '')),
    shared: keys.filter((key) => !owned(key)).flatMap((key) => withInner(key, '')),
  };
}

/** The keys of a mapping, including nested ones. If several mappings are possible, the keys of all of them. */
export function fieldsIn(schema: Schema): Field[] {
  return merged(keysIn(schema, ''));
}

function withInner(key: KeyInfo, prefix: string): Field[] {
  const name = `${prefix}${key.name}`;
  const { type, values = [] } = definition(unwrap(key.schema));
  const [, says = '', said = ''] =
    /^(.*?)(?:(?:^|(?<=\.) )Default: (.+)\.)?$/s.exec(key.documentation ?? '') ?? [];
  const field: Field = {
    name,
    takes: [takes(key.schema)],
    needed: key.required,
    default: defaultText(defaultOf(key.schema))?.replace('Default: ', '') ?? said,
    meanings: [{ says: says.trim(), kinds: type === 'literal' ? values.map(code) : [] }],
    isKind: type === 'literal',
    ignored: isUnread(key.schema),
  };
  return [field, ...inside(key.schema, name)];
}

/** The keys within a value: those of a mapping, or of each entry in a list or record. */
function inside(schema: Schema, name: string): Field[] {
  if (isNamed(schema)) return [];
  const { options = [], discriminator, element, valueType } = definition(unwrap(schema));
  if (element) return inside(element, `${name}[]`);
  if (valueType) return inside(valueType, `${name}.NAME`);
  if (discriminator === undefined && options.length > 0) {
    return merged(options.flatMap((option) => inside(option, name)));
  }
  return merged(keysIn(schema, `${name}.`));
}

function keysIn(schema: Schema, prefix: string): Field[] {
  const plain = unwrap(schema);
  const { options, discriminator, shape = {} } = definition(plain);
  if (discriminator !== undefined) return variants(plain, discriminator, prefix);
  if (options)
    return ofOptions(
      options.map((option) => keysIn(option, prefix)),
      prefix,
    );
  return Object.entries(shape)
    .filter(([, key]) => definition(unwrap(key)).type !== 'never')
    .flatMap(([name, key]) => withInner(keyInfo(name, key), prefix));
}

/** Marks keys that are missing from one of the mappings as not required. */
function ofOptions(all: readonly (readonly Field[])[], prefix: string): Field[] {
  const isEverywhere = (name: string) =>
    all.every((fields) => fields.some((field) => field.name === name));
  return all.flat().map((field) => ({
    ...field,
    needed: field.needed && (!isOwn(field, prefix) || isEverywhere(field.name)),
  }));
}

/** Whether the key is in the mapping itself, and not within a value. */
function isOwn({ name }: Field, prefix: string): boolean {
  return !/[.[]/.test(name.slice(prefix.length));
}

/** The keys of a discriminated union: its discriminator, then the keys of its variants. */
function variants(schema: Schema, discriminator: string, prefix: string): Field[] {
  const values = valuesAt(schema, {}, [discriminator]);
  const first: Field = {
    name: `${prefix}${discriminator}`,
    takes: [values.map(({ value }) => code(value)).join(', ')],
    needed: true,
    default: '',
    meanings: together(
      values.map(({ value, documentation: says = '' }) => ({ says, kinds: [code(value)] })),
    ),
    isKind: true,
    ignored: false,
  };
  const rest = (definition(schema).options ?? []).flatMap((option) => {
    const kinds = valuesAt(option, {}, [discriminator]).map(({ value }) => code(value));
    return keysIn(option, prefix)
      .filter(({ name }) => name !== first.name)
      .map((field) =>
        isOwn(field, prefix)
          ? { ...field, isKind: false, meanings: field.meanings.map((one) => ({ ...one, kinds })) }
          : field,
      );
  });
  return merged([first, ...rest], values.length);
}

/** Merges keys with the same name. @param kinds number of kinds of mappings */
function merged(fields: readonly Field[], kinds = Infinity): Field[] {
  const byName = new Map<string, Field>();
  for (const field of fields) {
    const before = byName.get(field.name);
    byName.set(field.name, before ? both(before, field, kinds) : field);
  }
  return [...byName.values()];
}

function both(a: Field, b: Field, kinds: number): Field {
  if (a.ignored !== b.ignored) return a.ignored ? b : a;
  return {
    ...a,
    takes: [...new Set([...a.takes, ...b.takes])],
    needed: a.needed && b.needed,
    meanings: together([...a.meanings, ...b.meanings], kinds),
  };
}

function together(meanings: readonly Meaning[], count = Infinity): Meaning[] {
  const bySaying = new Map<string, readonly string[]>();
  for (const { says, kinds } of meanings) {
    const before = bySaying.get(says) ?? kinds;
    const everywhere = before.length === 0 || kinds.length === 0;
    const all = everywhere ? [] : [...new Set([...before, ...kinds])];
    bySaying.set(says, all.length < count ? all : []);
  }
  return [...bySaying].map(([says, kinds]) => ({ says, kinds }));
}

function code(value: unknown): string {
  return `\`${String(value)}\``;
}

/** A table of keys, followed by the names of ignored keys. */
export function fieldTable(fields: readonly Field[]): string {
  const rows = fields
    .filter(({ ignored }) => !ignored)
    .map((field) => [
      code(field.name),
      takenBy(field),
      field.needed ? 'required' : field.default,
      field.meanings.map((one) => meaningOf(field, one)).join(' '),
    ]);
  const ignored = fields.filter((field) => field.ignored).map(({ name }) => code(name));
  return [
    table(['key', 'takes', 'default', 'meaning'], rows),
    ...(ignored.length > 0 ? [`Known and ignored: ${ignored.join(', ')}.`] : []),
  ].join('\n\n');
}

function takenBy({ takes: taken, meanings, isKind }: Field): string {
  if (isKind) return [...new Set(meanings.flatMap(({ kinds }) => kinds))].join(', ');
  return [...new Set(taken.flatMap((one) => one.split('; or ')))].join('; or ');
}

/** Adds the kinds that a meaning applies to: `user`: What the user says. With `user`: What is said. */
function meaningOf({ meanings, isKind }: Field, { says, kinds }: Meaning): string {
  if (kinds.length === 0 || (isKind && meanings.length === 1)) return says;
  return `${isKind ? '' : 'With '}${kinds.join(', ')}: ${says}`;
}
