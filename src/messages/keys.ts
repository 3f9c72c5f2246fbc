import type * as z from 'zod';
import { closest } from '../core/closest.ts';
import type { Path } from '../core/data.ts';
import type { Item, MessageProblem } from './dialect.ts';

/** A problem for each key that the schema does not have. */
export function keyProblems(item: Item, schema: z.ZodObject, what: string): MessageProblem[] {
  const known = Object.keys(schema.shape);
  return Object.keys(item)
    .filter((key) => !known.includes(key))
    .map((key) => unknownKey(key, known, what, [], item));
}

/**
 * @param path of the mapping that the key stands in
 * @param owner the mapping: what it has already was not meant
 */
export function unknownKey(
  key: string,
  known: readonly string[],
  what: string,
  path: Path = [],
  owner: object = {},
): MessageProblem {
  const free = known.filter((one) => !Object.hasOwn(owner, one));
  const meant = closest(key, free);
  const hint = meant ? ` Did you mean "${meant}"?` : ` Known keys: ${known.join(', ')}.`;
  return {
    path: [...path, key],
    code: 'unknown-key',
    message: `There is no key "${key}" in ${what}.${hint}`,
    onKey: true,
    ...(meant && { replacement: meant }),
  };
}
