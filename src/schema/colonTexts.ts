import type * as z from 'zod';
import { changedAt, isMapping, type Path, valueAt } from '../core/data/data.ts';
import { nearest } from '../core/text/closest.ts';
import type { ForeignNames } from './foreignNames.ts';
import { definition, keysAt, schemasAt, valuesAt } from './schemaWalk.ts';

/** A text with a colon, and what YAML took for its key. */
export interface ColonText {
  readonly path: Path;
  readonly key: string;
}

/**
 * The text in a list that a path leads to or into, if YAML reads it as a mapping because of its colon:
 *
 *     turns:
 *       - Hello: are you there
 *
 * A key that is like a known one is misspelt instead, and one with more behind it a mapping.
 */
export function colonTextAt(
  schema: z.ZodType,
  value: unknown,
  at: Path,
  foreign?: ForeignNames,
): ColonText | undefined {
  const path = at.slice(0, at.findLastIndex((step) => typeof step === 'number') + 1);
  const [key, ...others] = Object.keys(mappingAt(value, path));
  if (path.length === 0 || key === undefined || others.length > 0) return undefined;
  const inner = valueAt(value, [...path, key]);
  if (typeof inner === 'object' && inner !== null) return undefined;
  if (!takesText(schema, value, path)) return undefined;
  const known = keysAt(schema, value, path).map(({ name }) => name);
  const values = known.flatMap((name) => valuesAt(schema, value, [...path, name]));
  // Like a key, or like a value of one that is missing: `contains` where `type: contains` was meant.
  if (nearest(key, [...known, ...values.map((one) => one.value)]).length > 0) return undefined;
  const isForeign = foreign?.ofKey(key, known, inner) ?? foreign?.withoutOurs(key, known);
  return isForeign === undefined ? { path, key } : undefined;
}

function mappingAt(value: unknown, path: Path): object {
  const found = valueAt(value, path);
  return isMapping(found) ? found : {};
}

function takesText(schema: z.ZodType, value: unknown, path: Path): boolean {
  const asText = changedAt(value, path, () => 'text');
  return schemasAt(schema, asText, path).some((one) => definition(one).type === 'string');
}
