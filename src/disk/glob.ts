import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readErrorText } from './fileErrors.ts';

/** Thrown for an invalid pattern. `message` says why it is invalid. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** Maximum characters in a pattern, and maximum patterns that its braces expand to. */
const MAX_LENGTH = 200;
const MAX_ALTERNATIVES = 20;

/** Maximum number of steps for comparing a pattern with a folder's paths: about a second. */
const MAX_STEPS = 50_000_000;

/**
 * The files that match any of the patterns, absolute and sorted. `*` and `?` match characters in a name, `**` matches
 * folders, `[a-z]` and `[!a-z]` match one character, and `{a,b}` matches `a` or `b`. Hidden names match only names in
 * the pattern that begin with a dot. Links to folders and `node_modules` are skipped; links to files, even broken ones,
 * are found. Glob libraries build regular expressions; here, even a hostile pattern takes at most `MAX_STEPS`.
 *
 * @param folder absolute
 * @param isHidden whether hidden names match any pattern
 * @throws PatternError
 */
export async function matchingFiles(
  patterns: readonly string[],
  folder: string,
  isHidden = false,
): Promise<string[]> {
  const search = (pattern: string) => filesMatching(pattern, folder, isHidden);
  const found = await Promise.all(patterns.map(search));
  return [...new Set(found.flat())].sort();
}

async function filesMatching(
  pattern: string,
  folder: string,
  isHidden: boolean,
): Promise<string[]> {
  if (pattern.length > MAX_LENGTH) {
    throw new PatternError(`A pattern can have at most ${MAX_LENGTH} characters.`);
  }
  const fixed = folderWithoutWildcards(pattern);
  const rest = fixed === '' ? pattern : pattern.slice(fixed.length + 1);
  const steps = new Steps();
  const wanted = expandBraces(rest).map((one) =>
    one.split('/').map((name) => parseSegment(name, steps)),
  );
  const isDeep = wanted.some((parts) => parts.includes('any'));
  const base = resolve(folder, fixed);
  const hidden = isHidden || /(?:^|[/{,])\.[^/}]/.test(rest);
  const depth = isDeep ? Number.POSITIVE_INFINITY : Math.max(...wanted.map((one) => one.length));
  const paths = await filesBelow(base, depth, hidden);
  return paths
    .filter((path) => wanted.some((parts) => matchesPattern(parts, path.split('/'), steps)))
    .map((path) => resolve(base, path));
}

/** Relative paths. @param isHidden whether to include hidden names @throws PatternError for an unreadable folder */
async function filesBelow(base: string, depth: number, isHidden: boolean): Promise<string[]> {
  const files: string[] = [];
  const folders: string[][] = [[]];
  for (const folder of folders) {
    const path = join(base, ...folder);
    for (const entry of await entriesOf(path)) {
      if ((entry.name.startsWith('.') && !isHidden) || entry.name === 'node_modules') continue;
      const steps = [...folder, entry.name];
      if (entry.isDirectory() && steps.length < depth) folders.push(steps);
      else if (!entry.isDirectory() && !(await isFolderLink(entry, path)))
        files.push(steps.join('/'));
    }
  }
  return files;
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw new PatternError(`The folder ${folder} can't be read: ${readErrorText(error)}.`);
  }
}

async function isFolderLink(entry: Dirent, folder: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return false;
  const target = await stat(join(folder, entry.name)).catch(() => undefined);
  return target?.isDirectory() ?? false;
}

export function isGlob(text: string): boolean {
  return /[*?[{]/.test(text);
}

/** The folder in a pattern before the first name with wildcards. */
export function folderWithoutWildcards(pattern: string): string {
  const pieces = pattern.split('/');
  return pieces.slice(0, pieces.findIndex(isGlob)).join('/');
}

/** One pattern per combination of choices. Unclosed braces, and braces without a comma, are plain characters. */
function expandBraces(pattern: string): string[] {
  let done = [''];
  let at = 0;
  while (at < pattern.length) {
    const braces = pattern[at] === '{' ? parseBraces(pattern, at) : undefined;
    const texts = braces ? braces.choices.flatMap(expandBraces) : [pattern[at] ?? ''];
    if (done.length * texts.length > MAX_ALTERNATIVES) {
      throw new PatternError(
        `The braces in this pattern expand to more than ${MAX_ALTERNATIVES} patterns.`,
      );
    }
    done = done.flatMap((before) => texts.map((text) => before + text));
    at = (braces?.end ?? at) + 1;
  }
  return done;
}

/**
 * The choices in braces, separated by commas outside inner braces.
 *
 * @returns undefined if there is no choice or no closing brace
 */
function parseBraces(pattern: string, start: number) {
  const choices: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < pattern.length; at += 1) {
    if (pattern[at] === '{') depth += 1;
    if (pattern[at] === '}') depth -= 1;
    const isEnd = depth === 0;
    if (isEnd || (pattern[at] === ',' && depth === 1)) {
      choices.push(pattern.slice(from, at));
      from = at + 1;
    }
    if (isEnd) return choices.length > 1 ? { choices, end: at } : undefined;
  }
  return undefined;
}

/** Matches one name in a path, or one character in a name; `any` matches any number of them. */
type Matcher = 'any' | ((item: string) => boolean);

class Steps {
  #left = MAX_STEPS;

  /** @throws PatternError */
  take(): void {
    this.#left -= 1;
    if (this.#left >= 0) return;
    throw new PatternError(
      'Matching this pattern against so many files takes too long. Start it with a folder, or use fewer wildcards and braces.',
    );
  }
}

function parseSegment(text: string, steps: Steps): Matcher {
  if (text === '**') return 'any';
  const characters: Matcher[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const one = text[at] ?? '';
    const end = one === '[' ? text.indexOf(']', at + 2) : -1;
    if (end > 0) {
      characters.push(parseClass(text.slice(at + 1, end)));
      at = end;
    } else if (one === '*') {
      characters.push('any');
    } else if (one === '?') {
      characters.push(() => true);
    } else {
      characters.push((other) => other === one);
    }
  }
  return (name) => matchesPattern(characters, name, steps);
}

/** @param text between the brackets: `a-z_`, or `!a-z` for any other character */
function parseClass(text: string): (one: string) => boolean {
  const isNegated = /^[!^]/.test(text);
  const members = [...text.slice(isNegated ? 1 : 0).matchAll(/(.)-(.)|./gsu)];
  return (one) =>
    isNegated !== members.some(([all, from = all, to = all]) => from <= one && one <= to);
}

/**
 * Each `any` starts with as few items as possible and takes one more whenever the rest doesn't match. Only the last
 * `any` ever needs to backtrack.
 */
function matchesPattern(
  pattern: readonly Matcher[],
  items: ArrayLike<string>,
  steps: Steps,
): boolean {
  let [at, item] = [0, 0];
  let run: { readonly next: number; from: number } | undefined;
  while (item < items.length) {
    steps.take();
    const matcher = pattern[at];
    if (matcher === 'any') {
      at += 1;
      run = { next: at, from: item };
    } else if (matcher?.(items[item] as string)) {
      at += 1;
      item += 1;
    } else if (run) {
      run.from += 1;
      at = run.next;
      item = run.from;
    } else {
      return false;
    }
  }
  return pattern.slice(at).every((matcher) => matcher === 'any');
}
