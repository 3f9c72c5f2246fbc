import { basename, dirname, extname } from 'node:path';
import { LIMITS } from '../core/limits.ts';
import { EXTENSIONS, type FileKind } from '../core/meaning.ts';
import { type Fix, isNewFileKind } from '../core/problem.ts';
import { folderWithoutWildcards, PatternError } from '../disk/glob.ts';
import { outsideMessage } from '../node/paths.ts';
import { FileError, isReallyInside, resolveReference } from './files.ts';
import type { Location, Scope } from './scope.ts';

/** Maximum bytes per kind. */
const MAX_BYTES = {
  prompt: LIMITS.prompt,
  transcript: LIMITS.transcript,
  transcripts: LIMITS.dataSet,
  matrix: LIMITS.evalFile,
  cases: LIMITS.evalFile,
} as const;

type TextKind = keyof typeof MAX_BYTES;

/** Kinds whose file extension is checked. */
const CHECKED_ENDINGS: readonly FileKind[] = [
  'transcript',
  'transcripts',
  'matrix',
  'script',
  'module',
];

/**
 * The absolute path of a reference; undefined after reporting why it can't be used. Adds the file to the dependencies,
 * even if it's missing: it may be created.
 */
export async function findReferenced(
  reference: string,
  location: Location,
  kind: FileKind,
  { options, files, reporter, dependencies }: Scope,
): Promise<string | undefined> {
  const report = (code: string, message: string, fix?: Fix) =>
    reporter.report(code, message, location, { ...(fix && { fix }) });
  const folder = dirname(location.document.path);
  const found = await resolveReference(reference, folder, options.workspace, files);
  if (found.kind === 'outside') {
    report('path-outside', outsideMessage(`"${reference}"`));
    return undefined;
  }
  const { path } = found;
  if (kind !== 'folder') dependencies.add(path);
  if (CHECKED_ENDINGS.includes(kind) && !EXTENSIONS[kind].includes(extname(path))) {
    const endings = EXTENSIONS[kind].join(', ');
    report('unknown-file-type', `Unsupported file type: a ${kind} file ends in ${endings}.`);
    return undefined;
  }
  const wanted = kind === 'folder' ? 'folder' : 'file';
  if (found.kind === wanted) return path;
  if (found.kind !== 'missing') {
    const is = found.kind === 'other' ? 'a pipe, a device or a link to nothing' : `a ${found.kind}`;
    report(`not-a-${wanted}`, `"${reference}" is ${is}. Expected the path of a ${wanted}.`);
    return undefined;
  }
  const message = `There is no ${wanted} "${reference}". Paths are relative to this file.`;
  report('file-missing', message, isNewFileKind(kind) ? { create: { path, kind } } : undefined);
  return undefined;
}

/** As `findReferenced`, with the text. */
export async function readReferenced(
  reference: string,
  location: Location,
  kind: TextKind,
  scope: Scope,
) {
  const path = await findReferenced(reference, location, kind, scope);
  return path === undefined ? undefined : readFound(path, location, kind, scope);
}

/** The text of a file that was found; undefined if it cannot be read, which is reported at `location`. */
export async function readFound(
  path: string,
  location: Location,
  kind: TextKind,
  { files, reporter }: Scope,
) {
  try {
    return { path, text: await files.read(path, MAX_BYTES[kind]) };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    reporter.report(`file-${error.reason}`, error.message, location);
    return undefined;
  }
}

/** As `findMatches`, but reports matches outside the workspace. */
export async function filesMatching(
  pattern: string,
  location: Location,
  scope: Scope,
): Promise<string[]> {
  const inside: string[] = [];
  for (const path of await findMatches(pattern, location, scope)) {
    if (await isReallyInside(path, scope.options.workspace, scope.files)) inside.push(path);
    else scope.reporter.report('path-outside', outsideMessage(`"${basename(path)}"`), location);
  }
  return inside;
}

/** Absolute paths, sorted, of the files that a pattern matches; why it matches none is reported. */
export async function findMatches(
  pattern: string,
  location: Location,
  { document, files, options, reporter }: Scope,
): Promise<string[]> {
  // A glob searches the folder before the first wildcard, even through a link.
  const named = folderWithoutWildcards(pattern);
  if (
    pattern.startsWith('/') ||
    pattern
      .slice(named.length)
      .split(/[/\\{,}]/)
      .includes('..')
  ) {
    const message = 'Patterns are relative to this file and cannot contain ".." after a wildcard.';
    reporter.report('path-outside', message, location);
    return [];
  }
  if (pattern.includes('\\')) {
    reporter.report('wrong-pattern', 'Use "/" between folders, on Windows too.', location);
    return [];
  }
  const home = dirname(location.document.path);
  if ((await resolveReference(named, home, options.workspace, files)).kind === 'outside') {
    reporter.report('path-outside', outsideMessage(`"${named}"`), location);
    return [];
  }
  const matches = await files.glob([pattern], home).catch((error: unknown) => {
    if (!(error instanceof PatternError)) throw error;
    reporter.report('wrong-pattern', error.message, location);
    return undefined;
  });
  if (!matches) return [];
  const others = matches.filter((path) => path !== document.path);
  if (others.length === 0) {
    reporter.report('file-missing', `No file matches "${pattern}".`, location);
  }
  return others;
}
