import { createHash } from 'node:crypto';

/** JSON with object keys sorted at every depth, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** A copy, since a function that `JSON.stringify` calls with each value takes several times as long. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  if ('toJSON' in value && typeof value.toJSON === 'function') return sorted(value.toJSON());
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value).sort()) copy[key] = sorted(Reflect.get(value, key));
  return copy;
}

/** SHA-256 of bytes or of a text's UTF-8, hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}
