import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '..');

/** Set if tests run all variations instead of a sample. */
export const LONG_VARIABLE = 'TURNLIGHT_TEST_LONG';

/**
 * Folders whose files share processes, because their tests clean up after themselves, and the maximum number of files
 * per process. The limit balances startup time against using all cores. In `e2e`, the files of a process also share a
 * VS Code server.
 */
const SHARING: readonly (readonly [folder: string, most: number])[] = [
  ['test/unit/', 24],
  ['test/webview/', 9],
  ['test/e2e/', 16],
];

/** Files that can't share a process, because they change it permanently. */
export const ALONE: readonly string[] = ['test/unit/assertions/typeInOneFile.test.ts'];

/** @returns whether `npm test` runs only a sample of the file's variations */
export function samples(path: string): boolean {
  return readFileSync(path, 'utf8').includes("/support/long.ts'");
}

/**
 * Writes files that each import a group of test files. They are deleted when this process ends.
 *
 * @param files absolute paths of test files
 * @returns paths of the files to run, each in its own process
 */
export function grouped(files: readonly string[]): string[] {
  const nameOf = (path: string) => relative(ROOT, path).replaceAll('\\', '/');
  const sharers = new Map<number, string[]>();
  const alone: string[] = [];
  for (const path of files) {
    const name = nameOf(path);
    const [, most] = SHARING.find(([folder]) => name.startsWith(folder)) ?? [];
    if (most === undefined || ALONE.includes(name)) alone.push(path);
    else sharers.set(most, [...(sharers.get(most) ?? []), path]);
  }
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache/tests-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const groups = [...sharers].flatMap(([most, paths]) => {
    const count = Math.ceil(paths.length / most);
    // Neighboring files take similarly long, so they are distributed over the groups.
    return Array.from({ length: count }, (_, index) => {
      const path = join(folder, `group-${most}-${index + 1}.test.ts`);
      const members = paths.filter((_path, at) => at % count === index);
      writeFileSync(path, members.map(importing).join(''));
      return path;
    });
  });
  return [...alone, ...groups];
}

function importing(path: string): string {
  return `import ${JSON.stringify(pathToFileURL(path).href)};\n`;
}
