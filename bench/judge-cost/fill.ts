export type Schema = Readonly<Record<string, unknown>>;

export interface Filling {
  /** Number of entries in each list. */
  readonly listLength: number;
  /** Returns a field's value by its name; undefined to use the schema. */
  readonly field?: (key: string, schema: Schema) => unknown;
}

const WORDS = 'The answer follows from what was said before and names the order and the date.';

/**
 * Returns a value that matches a JSON Schema: the first value of an enum, `true`, 1, a sentence of about sixteen
 * tokens, or null if allowed. Supports the parts of JSON Schema that zod and pydantic generate.
 */
export function fill(schema: Schema, filling: Filling, root: Schema = schema): unknown {
  const inner = (value: unknown) => fill(toSchema(value), filling, root);
  const { $ref, anyOf, type } = schema;
  if (typeof $ref === 'string') return inner(resolve($ref, root));
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(anyOf)) return inner(anyOf[0]);
  // `["number", "null"]`
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return fillObject(schema, filling, root);
    case 'array':
      return Array.from({ length: filling.listLength }, () => inner(schema.items));
    case 'boolean':
      return true;
    case 'number':
    case 'integer':
      return 1;
    case 'null':
      return null;
    default:
      return WORDS;
  }
}

function fillObject(schema: Schema, filling: Filling, root: Schema): Record<string, unknown> {
  const properties = Object.entries(toSchema(schema.properties));
  // A mapping with keys that the judge chooses.
  if (properties.length === 0 && schema.additionalProperties) return { order: 'A 98765' };
  return Object.fromEntries(
    properties.map(([key, value]) => {
      const own = filling.field?.(key, toSchema(value));
      return [key, own === undefined ? fill(toSchema(value), filling, root) : own];
    }),
  );
}

/** Resolves a reference such as `#/$defs/Verdict`. */
function resolve(ref: string, root: Schema): unknown {
  return ref
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => Reflect.get(Object(value), key), root);
}

export function toSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
