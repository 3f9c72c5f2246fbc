import { join, resolve } from 'node:path';

/**
 * Folder for tools that tests and benchmarks install once, and that aren't dependencies of the project. Git ignores it.
 */
export const CACHE = join(resolve(import.meta.dirname, '../../..'), '.cache');

/** The last line of a program's error output. */
export function complaintOf(error: unknown): string {
  const said = String(Reflect.get(Object(error), 'stderr') || error);
  return said.trim().split('\n').at(-1) ?? '';
}
