import type * as z from 'zod';
import { closest } from '../core/closest.ts';
import type { MessageProblem } from './dialect.ts';

/** A problem for each key that the schema does not have. */
export function keyProblems(
  item: Readonly<Record<string, unknown>>,
  schema: z.ZodObject,
  what: string,
): MessageProblem[] {
  const known = Object.keys(schema.shape);
  return Object.keys(item)
    .filter((key) => !known.includes(key))
    .map((key) => unknownKey(key, known, what));
}

export function unknownKey(key: string, known: readonly string[], what: string): MessageProblem {
  const meant = closest(key, known);
  const hint = meant ? ` Did you mean "${meant}"?` : ` Known keys: ${known.join(', ')}.`;
  return {
    path: [key],
    code: 'unknown-key',
    message: `There is no key "${key}" in ${what}.${hint}`,
    onKey: true,
    ...(meant && { replacement: meant }),
  };
}
