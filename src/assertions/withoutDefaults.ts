import * as z from 'zod';
import { canonicalJson } from '../core/data/digest.ts';
import type { AssertionType } from './contract.ts';

/** The keys of an assertion without those that say what holds anyway: `ignore_case: false`. */
export function withoutDefaults(
  { params: { shape } }: AssertionType,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const saysMore = ([key, value]: [string, unknown]) => {
    const schema: unknown = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (!(schema instanceof z.ZodDefault)) return true;
    return canonicalJson(schema.def.defaultValue) !== canonicalJson(value);
  };
  return Object.fromEntries(Object.entries(given).filter(saysMore));
}
