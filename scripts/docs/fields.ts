import type { AssertionType } from '../../src/assertions/contract.ts';
import { assertionSchema } from '../../src/evalfile/schema.ts';
import {
  defaultOf,
  definition,
  type KeyInfo,
  keysAt,
  unwrap,
  valuesAt,
} from '../../src/schema/schemaWalk.ts';
import { isNamed, takes } from './takes.ts';

/** A key of an assertion, or one inside of its value. */
export interface Field {
  /** `rubric[].range`, `nodes.NAME.question`. */
  readonly name: string;
  readonly takes: string;
  readonly needed: boolean;
  /** As it would be written. */
  readonly default?: string;
  /** Markdown. */
  readonly meaning: string;
}

type Schema = KeyInfo['schema'];

/** The keys of a type, those inside of their values included; without `type` itself. */
export function fieldsOf({ type, params }: AssertionType): { own: Field[]; shared: Field[] } {
  const keys = keysAt(assertionSchema, { type }, []).filter(({ name }) => name !== 'type');
  const owned = ({ name }: KeyInfo) => Object.hasOwn(params.shape, name);
  return {
    own: keys.filter(owned).flatMap((key) => withInner(key, '')),
    shared: keys.filter((key) => !owned(key)).flatMap((key) => withInner(key, '')),
  };
}

function withInner(key: KeyInfo, prefix: string): Field[] {
  const name = `${prefix}${key.name}`;
  const byDefault = defaultOf(key.schema);
  const field: Field = {
    name,
    takes: takes(key.schema),
    needed: key.required,
    ...(byDefault !== undefined && { default: JSON.stringify(byDefault) }),
    meaning: key.documentation ?? '',
  };
  return [field, ...inside(key.schema, name)];
}

/** The keys inside of a value: of a mapping itself, of each entry of a list or of a mapping. */
function inside(schema: Schema, name: string): Field[] {
  if (isNamed(schema)) return [];
  const plain = unwrap(schema);
  const { type, options, discriminator, element, valueType, shape } = definition(plain);
  if (discriminator !== undefined) return variants(plain, discriminator, `${name}.`);
  if (options) return options.flatMap((option) => inside(option, name));
  if (type === 'array' && element) return inside(element, `${name}[]`);
  if (type === 'record' && valueType) return inside(valueType, `${name}.NAME`);
  if (!shape) return [];
  return keysAt(plain, {}, []).flatMap((key) => withInner(key, `${name}.`));
}

/** Of mappings that one key tells apart: that key, then the keys of each kind. */
function variants(schema: Schema, discriminator: string, prefix: string): Field[] {
  const kinds = valuesAt(schema, {}, [discriminator]);
  const listed = kinds.map(({ value, documentation }) => `\`${value}\`: ${documentation ?? ''}`);
  const first: Field = {
    name: `${prefix}${discriminator}`,
    takes: kinds.map(({ value }) => `\`${value}\``).join(', '),
    needed: true,
    meaning: listed.join(' '),
  };
  const rest = kinds.flatMap(({ value }) =>
    keysAt(schema, { [discriminator]: value }, [])
      .filter((key) => key.name !== discriminator)
      .flatMap((key) => withInner(key, prefix))
      .map((field) => ({ ...field, meaning: `With \`${value}\`: ${field.meaning}` })),
  );
  return [first, ...rest];
}
