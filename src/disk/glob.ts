import { resolve } from 'node:path';
import { glob } from 'tinyglobby';

/** An invalid pattern. `message` says why. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** Maximum characters in a pattern, and maximum patterns that its braces expand to. */
const MAX_LENGTH = 200;
const MAX_ALTERNATIVES = 20;

/** Maximum number of steps to compare a pattern with the paths in a folder: about a second. */
const MAX_STEPS = 50_000_000;

/**
 * The files that match any of the patterns, absolute and sorted. `*` and `?` match characters in a name, `**` folders,
 * `[a-z]` and `[!a-z]` one character, and `{a,b}` either. Hidden names match only if a name in the pattern begins with
 * a dot. Links and `node_modules` are skipped. Unlike in glob libraries, which build regular expressions, a hostile
 * pattern takes at most `MAX_STEPS`. @param folder absolute @throws PatternError
 */
export async function matchingFiles(
  patterns: readonly string[],
  folder: string,
): Promise<string[]> {
  const found = await Promise.all(patterns.map((pattern) => filesMatching(pattern, folder)));
  return [...new Set(found.flat())].sort();
}

async function filesMatching(pattern: string, folder: string): Promise<string[]> {
  if (pattern.length > MAX_LENGTH) {
    throw new PatternError(`A pattern has at most ${MAX_LENGTH} characters.`);
  }
  const fixed = folderWithoutWildcards(pattern);
  const rest = fixed === '' ? pattern : pattern.slice(fixed.length + 1);
  const steps = new Steps();
  const wanted = expandBraces(rest).map((one) =>
    one.split('/').map((name) => parseSegment(name, steps)),
  );
  const isDeep = wanted.some((parts) => parts.includes('any'));
  const base = resolve(folder, fixed);
  const paths = await glob(['**/*'], {
    cwd: base,
    dot: /(?:^|[/{,])\.[^/}]/.test(rest),
    ...(!isDeep && { deep: Math.max(...wanted.map(({ length }) => length)) }),
    ignore: ['**/node_modules/**'],
    expandDirectories: false,
    followSymbolicLinks: false,
  });
  return paths
    .filter((path) => wanted.some((parts) => matchesPattern(parts, path.split('/'), steps)))
    .map((path) => resolve(base, path));
}

export function isGlob(text: string): boolean {
  return /[*?[{]/.test(text);
}

/** The part of a pattern before the first name with wildcards. */
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
      throw new PatternError(`Its braces stand for more than ${MAX_ALTERNATIVES} patterns.`);
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
      'It takes too long to match with so many files. Start it with a folder, or use fewer wildcards and braces.',
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
 * Each `any` takes as few items as possible, and one more if the rest doesn't match; only the last one ever needs to
 * backtrack.
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
