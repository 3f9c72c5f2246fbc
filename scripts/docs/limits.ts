import { LIMIT_WORDS, LIMITS, readable } from '../../src/core/limits.ts';
import { table } from './table.ts';

export function limits(): string {
  const rows = Object.entries(LIMIT_WORDS).map(([name, words]) => [
    words,
    readable(LIMITS[name as keyof typeof LIMITS]),
  ]);
  return table(['of', 'at most'], rows);
}
