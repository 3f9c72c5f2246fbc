import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ReasonedError } from '../core/errors.ts';
import { LIMITS, readable } from '../core/limits.ts';

/** Something else stands where a file or folder of ours belongs. `message` names it. */
export class NotRegularError extends ReasonedError<
  'link' | 'not-a-file' | 'not-a-folder' | 'too-large'
> {
  override readonly name = 'NotRegularError';
}

const READ = constants.O_RDONLY;

export const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

/** Fails with `EEXIST` where anything stands there. */
export const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/** Windows has neither. Without `O_NONBLOCK`, opening a pipe waits for its other end. */
const SAFE_FLAGS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a regular file: no symbolic link, device or pipe. Links among the folders above it are followed.
 *
 * @param flags `READING`, `APPENDING` or `CREATING`
 * @throws NotRegularError, or what the system says
 */
export async function openRegular(path: string, flags = READ, mode?: number): Promise<FileHandle> {
  if (flags === CREATE) return openNew(path, mode);
  const there = flags === READ ? await lstat(path) : await statOf(path);
  if (there) assertFile(path, there);
  const file = await open(path, flags | SAFE_FLAGS, mode);
  try {
    assertFile(path, await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Opens nothing that stands there, so that only a failure needs a look. */
async function openNew(path: string, mode?: number): Promise<FileHandle> {
  try {
    return await open(path, CREATE | SAFE_FLAGS, mode);
  } catch (error) {
    const there = await statOf(path);
    if (there) assertFile(path, there);
    throw error;
  }
}

/** The whole of a regular file. @param maxBytes bytes that it may have @throws as `openRegular` */
export async function readRegular(path: string, maxBytes: number): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    const { size } = await file.stat();
    if (size <= maxBytes) return await file.readFile();
    const message = `${path} has more than ${readable(maxBytes)} bytes. Remove it.`;
    throw new NotRegularError('too-large', message);
  } finally {
    await file.close();
  }
}

/** The whole of a regular file that a path leads to, by links too. @throws as `openRegular` */
export async function readLinked(path: string): Promise<Buffer> {
  return readRegular(await realpath(path), LIMITS.dataSet);
}

/** @param flags `APPENDING` or `CREATING` @throws as `openRegular` */
export async function writeRegular(
  path: string,
  text: string,
  flags: number,
  mode?: number,
): Promise<void> {
  const file = await openRegular(path, flags, mode);
  await file.writeFile(text).finally(() => file.close());
}

/**
 * What `read` makes of an open regular file, as `openRegular` opens it; undefined where nothing is there. For
 * many small files: promises would take ten times as long as the work.
 *
 * @throws NotRegularError, what the system says, and what `read` throws
 */
export function readRegularSync<Result>(
  path: string,
  read: (file: number, stats: Stats) => Result,
): Result | undefined {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (!there) return undefined;
  assertFile(path, there);
  const file = openSync(path, READ | SAFE_FLAGS);
  try {
    const stats = fstatSync(file);
    assertFile(path, stats);
    return read(file, stats);
  } finally {
    closeSync(file);
  }
}

/**
 * Whether a folder, and no link to one, is there. Asked of every folder above a file with each hover: a
 * promise would take ten times as long as the look itself.
 */
export function isRealFolder(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}

/**
 * Makes a folder in one that exists, unless it is there; a link to a folder is not.
 *
 * @throws NotRegularError, or what the system says
 */
export async function makeRealFolder(path: string, mode?: number): Promise<void> {
  const there = await statOf(path);
  if (!there) {
    await mkdir(path, { mode }).catch(ignoreExists);
  } else if (!there.isDirectory()) {
    throw there.isSymbolicLink()
      ? linkError(path)
      : notRegularError('not-a-folder', path, 'a folder');
  }
}

/** For what another run may make at the same time. */
export function ignoreExists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

function statOf(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    // The second: a file stands where a folder on the way should.
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
}

function assertFile(path: string, stats: Stats): void {
  if (stats.isSymbolicLink()) throw linkError(path);
  if (!stats.isFile()) throw notRegularError('not-a-file', path, 'a regular file');
}

function linkError(path: string): NotRegularError {
  return new NotRegularError('link', `${path} is a symbolic link. Remove it.`);
}

function notRegularError(reason: 'not-a-file' | 'not-a-folder', path: string, wanted: string) {
  return new NotRegularError(reason, `${path} is not ${wanted}. Rename or remove it.`);
}

/**
 * An absolute path with its links followed; the part of it that doesn't exist stays as it is. Asked of every path in a file with each of
 * its checks, and with each hover: a promise would take longer than the look itself.
 */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPathOf(folder), basename(path));
  }
}
