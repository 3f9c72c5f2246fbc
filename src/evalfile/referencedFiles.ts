import { dirname, extname } from 'node:path';
import { LIMITS } from '../core/limits.ts';
import { EXTENSIONS, type FileKind } from '../core/meaning.ts';
import { type Fix, isNewFileKind } from '../core/problem.ts';
import { outsideMessage } from '../node/paths.ts';
import { FileError } from './files.ts';
import { resolveReference } from './resolveReference.ts';
import type { Location, Scope } from './scope.ts';

/** What is read, and the most bytes of it. */
const MOST_BYTES = {
  prompt: LIMITS.prompt,
  transcript: LIMITS.transcript,
  transcripts: LIMITS.dataSet,
  matrix: LIMITS.evalFile,
  cases: LIMITS.evalFile,
} as const;

export type TextKind = keyof typeof MOST_BYTES;

/** Those that are read by how their names end; others are read whatever they are called. */
const ENDINGS_COUNT: readonly FileKind[] = [
  'transcript',
  'transcripts',
  'matrix',
  'script',
  'module',
];

/**
 * The absolute path of what a reference names; undefined if it cannot be used, for the reason that
 * was reported. Files that it depends on are noted, also one that is missing: it may come.
 */
export async function findReferenced(
  reference: string,
  location: Location,
  kind: FileKind,
  { options, files, reporter, dependencies }: Scope,
): Promise<string | undefined> {
  const say = (code: string, message: string, fix?: Fix) =>
    reporter.say(code, message, location, { ...(fix && { fix }) });
  const folder = dirname(location.document.path);
  const found = await resolveReference(reference, folder, options.workspace, files);
  if (found.kind === 'outside') {
    say('path-outside', outsideMessage(`"${reference}"`));
    return undefined;
  }
  const { path } = found;
  if (kind !== 'folder') dependencies.add(path);
  if (ENDINGS_COUNT.includes(kind) && !EXTENSIONS[kind].includes(extname(path))) {
    const endings = EXTENSIONS[kind].join(', ');
    say('unknown-file-type', `Unsupported file type: a ${kind} file ends in ${endings}.`);
    return undefined;
  }
  const wanted = kind === 'folder' ? 'folder' : 'file';
  if (found.kind === wanted) return path;
  if (found.kind !== 'missing') {
    const is = found.kind === 'other' ? 'a pipe, a device or a link to nothing' : `a ${found.kind}`;
    say(`not-a-${wanted}`, `"${reference}" is ${is}. Expected the path of a ${wanted}.`);
    return undefined;
  }
  const message = `There is no ${wanted} "${reference}". Paths are relative to this file.`;
  say('file-missing', message, isNewFileKind(kind) ? { create: { path, kind } } : undefined);
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
    return { path, text: await files.read(path, MOST_BYTES[kind]) };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    reporter.say(`file-${error.reason}`, error.message, location);
    return undefined;
  }
}
