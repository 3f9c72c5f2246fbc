import { join, resolve } from 'node:path';

/** What tests and benches install once, and no dependency of the project; git ignores it. */
export const CACHE = join(resolve(import.meta.dirname, '../../..'), '.cache');

/** The last line of what a program complained about. */
export function complaintOf(error: unknown): string {
  const said = String(Reflect.get(Object(error), 'stderr') || error);
  return said.trim().split('\n').at(-1) ?? '';
}
