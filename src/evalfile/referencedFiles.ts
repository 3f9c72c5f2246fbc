import { basename, dirname, extname, relative, sep } from 'node:path';
import { LIMITS } from '../core/limits.ts';
import { EXTENSIONS, type FileKind } from '../core/meaning.ts';
import { isNewFileKind, suggestionsOf } from '../core/problem.ts';
import { nearest } from '../core/text/closest.ts';
import { folderWithoutWildcards, PatternError } from '../disk/glob.ts';
import { outsideMessage } from '../node/paths.ts';
import { FileError, isReallyInside, resolveReference } from './files.ts';
import { type Location, report } from './scope.ts';

/** Maximum bytes per kind. */
const MAX_BYTES = {
  prompt: LIMITS.prompt,
  text: LIMITS.prompt,
  transcript: LIMITS.transcript,
  transcripts: LIMITS.dataSet,
  matrix: LIMITS.evalFile,
  cases: LIMITS.evalFile,
} as const;

type TextKind = keyof typeof MAX_BYTES;

/** Kinds of files whose extension is checked. */
const CHECKED_ENDINGS: readonly FileKind[] = [
  'transcript',
  'transcripts',
  'matrix',
  'script',
  'module',
  'image',
];

/**
 * The absolute path that a reference leads to. If it can't be used, reports why and returns undefined. Adds the file to
 * the dependencies even if it's missing, because it may be created later.
 */
export async function findReferenced(
  reference: string,
  location: Location,
  kind: FileKind,
): Promise<string | undefined> {
  const { options, files, dependencies } = location.scope;
  const folder = dirname(location.document.path);
  const found = await resolveReference(reference, folder, options.workspace, files);
  if (found.kind === 'outside') {
    report('path-outside', outsideMessage(`"${reference}"`), location);
    return undefined;
  }
  const { path } = found;
  if (await isPrivate(path, location)) return undefined;
  if (kind !== 'folder') dependencies.add(path);
  if (CHECKED_ENDINGS.includes(kind) && !EXTENSIONS[kind].includes(extname(path))) {
    const article = kind === 'image' ? 'an' : 'a';
    const message = `Unsupported file type: ${article} ${kind} file ends in ${EXTENSIONS[kind].join(', ')}.`;
    report('unknown-file-type', message, location);
    return undefined;
  }
  const wanted = kind === 'folder' ? 'folder' : 'file';
  if (found.kind === wanted) return path;
  if (found.kind !== 'missing') {
    const is = found.kind === 'other' ? 'a pipe, device, or broken link' : `a ${found.kind}`;
    const message = `"${reference}" is ${is}. Expected the path of a ${wanted}.`;
    report(`not-a-${wanted}`, message, location);
    return undefined;
  }
  const { replacement, fix } = suggestionsOf(await similarPaths(reference, path, location, kind));
  const hint =
    replacement === undefined
      ? 'Paths are relative to this file.'
      : `Did you mean "${replacement}"?`;
  report('file-missing', `There is no ${wanted} "${reference}". ${hint}`, location, {
    ...(replacement !== undefined && { replacement }),
    fix: { ...fix, ...(isNewFileKind(kind) && { create: { path, kind } }) },
  });
  return undefined;
}

/** Paths of files with similar names in the same folder, most likely first. */
async function similarPaths(
  reference: string,
  path: string,
  { scope }: Location,
  kind: FileKind,
): Promise<string[]> {
  if (kind === 'folder') return [];
  // The folder may be one that can't be read.
  const found = await scope.files.glob(['*'], dirname(path)).catch((error: unknown) => {
    if (!(error instanceof PatternError)) throw error;
    return [];
  });
  const names = new Set(found.map((one) => basename(one)));
  const fitting = [...names].filter((name) => EXTENSIONS[kind].includes(extname(name)));
  const folder = reference.slice(0, reference.length - basename(reference).length);
  return nearest(basename(reference), fitting).map((name) => folder + name);
}

/** Whether a file probably contains secrets, which must not reach a model. Reports it if so. Links are followed. */
async function isPrivate(path: string, location: Location): Promise<boolean> {
  const { files, options } = location.scope;
  const [real, workspace, dotenv] = await Promise.all(
    [path, options.workspace, options.dotenv].map((one) => one && files.realPath(one)),
  );
  const names = relative(workspace ?? '', real ?? '').split(sep);
  const isHidden = names.at(-1)?.startsWith('.');
  const isInGit = names.some((name) => name.toLowerCase() === '.git');
  if (real !== dotenv && !isHidden && !isInGit) return false;
  const message = `"${basename(path)}" may contain secrets and can't be used here: after following links, it is in .git, its name begins with a dot, or it is the file of --dotenv.`;
  report('private-file', message, location);
  return true;
}

/** Like `findReferenced`, but also reads the file's text. */
export async function readReferenced(reference: string, location: Location, kind: TextKind) {
  const path = await findReferenced(reference, location, kind);
  return path === undefined ? undefined : readFound(path, location, kind);
}

/** The text of an existing file; if it can't be read, reports why and returns undefined. */
export async function readFound(path: string, location: Location, kind: TextKind) {
  try {
    return { path, text: await location.scope.files.read(path, MAX_BYTES[kind]) };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    report(`file-${error.reason}`, error.message, location);
    return undefined;
  }
}

/** Like `findMatches`, but reports matches that must not be used. */
export async function filesMatching(pattern: string, location: Location): Promise<string[]> {
  const { options, files } = location.scope;
  const inside: string[] = [];
  for (const path of await findMatches(pattern, location)) {
    if (!(await isReallyInside(path, options.workspace, files))) {
      report('path-outside', outsideMessage(`"${basename(path)}"`), location);
    } else if (!(await isPrivate(path, location))) inside.push(path);
  }
  return inside;
}

/**
 * The files that a pattern matches, as sorted absolute paths. If there is a problem, reports it and returns no paths.
 */
export async function findMatches(pattern: string, location: Location): Promise<string[]> {
  const { document, files, options } = location.scope;
  // A glob search starts in the folder before the first wildcard, even if that is a link.
  const named = folderWithoutWildcards(pattern);
  const steps = pattern.slice(named.length).split(/[/\\{,}]/);
  if (pattern.startsWith('/') || steps.includes('..')) {
    const message = 'Patterns are relative to this file and cannot contain ".." after a wildcard.';
    report('path-outside', message, location);
    return [];
  }
  if (pattern.includes('\\')) {
    report('wrong-pattern', 'Use "/" between folders, even on Windows.', location);
    return [];
  }
  const home = dirname(location.document.path);
  if ((await resolveReference(named, home, options.workspace, files)).kind === 'outside') {
    report('path-outside', outsideMessage(`"${named}"`), location);
    return [];
  }
  const matches = await files.glob([pattern], home).catch((error: unknown) => {
    if (!(error instanceof PatternError)) throw error;
    report('wrong-pattern', error.message, location);
    return undefined;
  });
  if (!matches) return [];
  const others = matches.filter((path) => path !== document.path);
  if (others.length === 0) {
    report('file-missing', `No file matches "${pattern}".`, location);
  }
  return others;
}
