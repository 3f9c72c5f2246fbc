import { lstatSync } from 'node:fs';
import { lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ReasonedError } from '../core/errors.ts';
import { makeRealFolder, realPathOf } from '../disk/regularFile.ts';
import { isInside } from '../node/paths.ts';

/** Names the folder where answers are kept, instead of the platform's. */
export const CACHE_VARIABLE = 'TURNLIGHT_CACHE_DIR';

/** Answers that stand there could be anyone's. */
export class UntrustedFolderError extends ReasonedError<'in-workspace' | 'not-private'> {
  override readonly name = 'UntrustedFolderError';
}

/** Where answers are kept: a folder of the user's, absolute. */
export function answersFolder(env: (name: string) => string | undefined): string {
  return join(cacheFolder(env), 'answers');
}

function cacheFolder(env: (name: string) => string | undefined): string {
  const chosen = env(CACHE_VARIABLE);
  if (chosen) return resolve(chosen);
  if (process.platform === 'win32') {
    const local = env('LOCALAPPDATA') || join(homedir(), 'AppData', 'Local');
    return join(local, 'turnlight', 'cache');
  }
  const usual =
    process.platform === 'darwin'
      ? join(homedir(), 'Library', 'Caches')
      : join(homedir(), '.cache');
  return join(env('XDG_CACHE_HOME') || usual, 'turnlight');
}

/**
 * Makes the folder, and sees to it that nobody else can put answers there: no other user, and nobody
 * whose commits are checked out.
 *
 * @throws UntrustedFolderError, NotRegularError, or what the system says
 */
export async function preparedFolder(folder: string, workspaces: readonly string[]): Promise<void> {
  const isUsual = folder === answersFolder(() => undefined);
  const outside = (path: string, roots: readonly string[]) => {
    if (isUsual || !roots.some((root) => isInside(path, root))) return;
    const message = `${folder} is in the workspace, where whoever commits a file could forge verdicts. Set ${CACHE_VARIABLE} to a folder outside of it.`;
    throw new UntrustedFolderError('in-workspace', message);
  };
  outside(folder, workspaces);
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  outside(await realpath(dirname(folder)), workspaces.map(realPathOf));
  await makeRealFolder(folder, 0o700);
  const { uid, mode } = await lstat(folder);
  const isOurs = process.getuid === undefined || uid === process.getuid();
  if (isOurs && (process.platform === 'win32' || (mode & 0o022) === 0)) return;
  const message = `Others may write to ${folder}. Make it yours alone (chmod 700), or remove it.`;
  throw new UntrustedFolderError('not-private', message);
}

/** A file of ours. */
export interface KeptFile {
  readonly path: string;
  /** On the disk, which gives space in blocks. */
  readonly bytes: number;
  /** When it was written, or last read. */
  readonly used: number;
}

const BLOCK = 4096;

/** With those that a killed process left half written. */
const OURS = /^[0-9a-f]{63}\.(?:json|[0-9a-f]{8})$/;

/** The file of an answer, among some thousands: more folders take longer to make. @param key 64 hexadecimal digits */
export function answerFile(folder: string, key: string): string {
  return join(folder, key.slice(0, 1), `${key.slice(1)}.json`);
}

/** What is kept in a folder, whatever else stands there. */
export async function keptFiles(folder: string): Promise<KeptFile[]> {
  const found: KeptFile[] = [];
  for (const part of await entriesOf(folder)) {
    if (!part.isDirectory() || !/^[0-9a-f]$/.test(part.name)) continue;
    const files = (await entriesOf(join(folder, part.name))).filter(
      (one) => one.isFile() && OURS.test(one.name),
    );
    for (const { name } of files) {
      const path = join(folder, part.name, name);
      const there = lstatSync(path, { throwIfNoEntry: false });
      if (!there) continue;
      const bytes = Math.ceil(there.size / BLOCK) * BLOCK;
      found.push({ path, bytes, used: there.mtimeMs });
    }
  }
  return found;
}

function entriesOf(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

export function bytesOf(files: readonly KeptFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Removes what was not used for the longest time until no more than so many bytes are left. */
export async function prune(folder: string, most: number): Promise<void> {
  const files = (await keptFiles(folder)).sort((a, b) => a.used - b.used);
  let bytes = bytesOf(files);
  for (const file of files) {
    if (bytes <= most) return;
    await rm(file.path, { force: true });
    bytes -= file.bytes;
  }
}
