import { relative, sep } from 'node:path';

/**
 * A suite by its path from the root, which is the same in another checkout; by its whole path where runs have
 * records at several roots.
 *
 * @param roots of the records of the run, and of each that it is compared with
 */
export function suiteNames(
  roots: readonly string[],
  ...others: readonly (readonly string[])[]
): (suite: string) => string {
  const [root = '', ...more] = roots;
  if (more.length > 0 || others.some(({ length }) => length > 1)) return (suite) => suite;
  return (suite) => relative(root, suite).split(sep).join('/');
}
