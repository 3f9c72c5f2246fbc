import type * as z from 'zod';
import { isMapping } from '../core/data/data.ts';
import { MEANING_KEYS, type Meaning } from '../core/meaning.ts';
import { definition, metaOf, unwrap } from './schemaWalk.ts';

type Schema = z.core.$ZodType;

/**
 * What of a schema means something for names, so that a walk over thousands of messages looks at their
 * tool calls alone. A schema in which nothing does has no plan.
 */
export interface Plan {
  readonly meaning: Meaning;
  /** The kind of value that it is for; any, where the schema does not say. */
  readonly form: 'word' | 'list' | 'mapping' | 'any';
  /** Of a mapping: keys that mean something. */
  readonly fields: ReadonlyMap<string, Plan>;
  /** Of a mapping with any keys: their values. */
  readonly rest?: Plan | undefined;
  readonly items?: Plan | undefined;
  /** A mapping without any of these keys means nothing; undefined if it may. */
  readonly keys?: ReadonlySet<string> | undefined;
  /** What a mapping must hold to be meant: `type: tool_use`. */
  readonly literals: readonly (readonly [key: string, values: readonly unknown[]])[];
  /** Of a union: the plans that a value can be meant for. */
  options(value: unknown): readonly Plan[];
}

const KNOWN = new WeakMap<Schema, { plan: Plan | undefined }>();

export function planOf(schema: Schema): Plan | undefined {
  const known = KNOWN.get(schema);
  if (known) return known.plan;
  const plan = compiled(schema);
  KNOWN.set(schema, { plan });
  return plan;
}

const NONE = { fields: new Map<string, Plan>(), literals: [], options: () => [] } as const;

function compiled(schema: Schema): Plan | undefined {
  const meaning = meaningOf(schema);
  const plain = unwrap(schema, false);
  const { type, getter, shape, valueType, element, options } = definition(plain);
  // What is not known yet may be what holds it.
  if (getter) return { ...NONE, meaning, form: 'any', options: () => optional(planOf(getter())) };
  if (options) return unionPlan(plain, meaning);
  const means = Object.keys(meaning).length > 0;
  if (shape) {
    const fields = new Map(
      Object.entries(shape).flatMap(([key, field]) => {
        const plan = planOf(field);
        return plan ? [[key, plan] as const] : [];
      }),
    );
    const keys = means ? undefined : new Set(fields.keys());
    const literals = literalsOf(shape);
    const plan = { ...NONE, meaning, form: 'mapping', fields, keys, literals } as const;
    return means || fields.size > 0 ? plan : undefined;
  }
  if (valueType) {
    const rest = planOf(valueType);
    return means || rest ? { ...NONE, meaning, form: 'mapping', rest } : undefined;
  }
  if (element) {
    const items = planOf(element);
    return means || items ? { ...NONE, meaning, form: 'list', items } : undefined;
  }
  const form = type === 'unknown' || type === 'any' ? 'any' : type === 'tuple' ? 'list' : 'word';
  return means ? { ...NONE, meaning, form } : undefined;
}

function optional<Value>(value: Value | undefined): Value[] {
  return value === undefined ? [] : [value];
}

export function meaningOf(schema: Schema): Meaning {
  const meta = metaOf(schema);
  const stated = MEANING_KEYS.filter((key) => meta[key] !== undefined);
  return Object.fromEntries(stated.map((key) => [key, meta[key]]));
}

function literalsOf(shape: Readonly<Record<string, Schema>>): Plan['literals'] {
  return Object.entries(shape).flatMap(([key, field]) => {
    const { type, values = [] } = definition(unwrap(field, false));
    return type === 'literal' ? [[key, values] as const] : [];
  });
}

function unionPlan(schema: Schema, meaning: Meaning): Plan | undefined {
  const { options = [], discriminator } = definition(schema);
  const plans = options.flatMap((option) => optional(planOf(option)));
  if (plans.length === 0 && Object.keys(meaning).length === 0) return undefined;
  if (discriminator === undefined) {
    const fitting = (value: unknown) => plans.filter((plan) => fits(plan, value));
    return { ...NONE, meaning, form: 'any', options: fitting };
  }
  const byValue = new Map(
    options.flatMap((option) => {
      const { shape = {} } = definition(unwrap(option, false));
      const tags = literalsOf(shape).find(([key]) => key === discriminator)?.[1] ?? [];
      return tags.map((tag) => [tag, optional(planOf(option))] as const);
    }),
  );
  const undecided = [commonPlan(options)];
  const keys = plans.flatMap((plan) => (plan.keys ? [...plan.keys] : []));
  return {
    ...NONE,
    meaning,
    form: 'mapping',
    keys: plans.every((plan) => plan.keys) ? new Set(keys) : undefined,
    options: (value) => (isMapping(value) ? (byValue.get(value[discriminator]) ?? undecided) : []),
  };
}

/** Of a mapping that is not told yet: the keys that mean the same wherever they can stand. */
function commonPlan(options: readonly Schema[]): Plan {
  const shapes = options.map((option) => definition(unwrap(option, false)).shape ?? {});
  const keys = new Set(shapes.flatMap((shape) => Object.keys(shape)));
  const fields = new Map(
    [...keys].flatMap((key) => {
      const plans = shapes.flatMap((shape) => (shape[key] ? [planOf(shape[key])] : []));
      const [first] = plans;
      const same = plans.every((plan) => first && plan && isSame(plan.meaning, first.meaning));
      return first && same ? [[key, first] as const] : [];
    }),
  );
  const [first = {}, ...others] = options.map(meaningOf);
  const meaning = Object.fromEntries(
    MEANING_KEYS.filter((key) => others.every((other) => other[key] === first[key])).map(
      (key) => [key, first[key]] as const,
    ),
  );
  return { ...NONE, meaning, form: 'mapping', fields };
}

function isSame(a: Meaning, b: Meaning): boolean {
  return MEANING_KEYS.every((key) => a[key] === b[key]);
}

function fits({ form, keys, literals }: Plan, value: unknown): boolean {
  if (form === 'any') return true;
  if (Array.isArray(value)) return form === 'list';
  if (!isMapping(value)) return form === 'word';
  return (
    form === 'mapping' &&
    (!keys || holdsAny(keys, value)) &&
    literals.every(([key, values]) => value[key] === undefined || values.includes(value[key]))
  );
}

function holdsAny(keys: ReadonlySet<string>, value: object): boolean {
  for (const key of keys) if (Object.hasOwn(value, key)) return true;
  return false;
}
