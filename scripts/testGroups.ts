import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '..');

/** Set while every try is made, and not a sample of them. */
export const LONG_VARIABLE = 'TURNLIGHT_TEST_LONG';

/**
 * Folders whose files share processes: what they do stays within their tests. The most files of a process:
 * enough that starting it takes little, few enough that every core has some. Files of VS Code share one, too.
 */
const SHARING: readonly (readonly [folder: string, most: number])[] = [
  ['test/unit/', 24],
  ['test/webview/', 9],
  ['test/e2e/', 16],
];

/** Those that may not share: what they change of the process stays changed. */
export const ALONE: readonly string[] = ['test/unit/assertions/typeInOneFile.test.ts'];

/** @returns whether `npm test` takes a sample of what the file tries */
export function samples(path: string): boolean {
  return readFileSync(path, 'utf8').includes("/support/long.ts'");
}

/**
 * Writes files that each import a group of test files, gone when this process ends.
 *
 * @param files test files, absolute
 * @returns what is to be run instead, each in a process of its own
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
    // Neighbours take similarly long, so each goes to another group.
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
