import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ReasonedError } from '../core/errors.ts';
import { LIMITS, readable } from '../core/limits.ts';

/** Something other than a regular file or folder is at a path that Turnlight uses. `message` names it. */
export class NotRegularError extends ReasonedError<
  'link' | 'not-a-file' | 'not-a-folder' | 'too-large'
> {
  override readonly name = 'NotRegularError';
}

const READ = constants.O_RDONLY;

export const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

/** Fails with `EEXIST` if the path exists. */
export const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/** Windows has neither. Without `O_NONBLOCK`, opening a pipe waits for its other end. */
const SAFE_FLAGS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a regular file: not a symbolic link, device, or pipe. Links among its parent folders are followed.
 * @param flags `READ`, `APPEND` or `CREATE` @throws NotRegularError, or a system error
 */
export async function openRegular(path: string, flags = READ, mode?: number): Promise<FileHandle> {
  if (flags === CREATE) return openNew(path, mode);
  const stats = flags === READ ? await lstat(path) : await statOf(path);
  if (stats) assertFile(path, stats);
  const file = await open(path, flags | SAFE_FLAGS, mode);
  try {
    assertFile(path, await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Opening fails if the path exists, so only failures need a check. */
async function openNew(path: string, mode?: number): Promise<FileHandle> {
  try {
    return await open(path, CREATE | SAFE_FLAGS, mode);
  } catch (error) {
    const there = await statOf(path);
    if (there) assertFile(path, there);
    throw error;
  }
}

/** @throws as `openRegular`; NotRegularError if it is larger than `maxBytes` */
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

/** Reads a regular file, also through links. @throws as `openRegular` */
export async function readLinked(path: string): Promise<Buffer> {
  return readRegular(await realpath(path), LIMITS.dataSet);
}

/** @param flags `APPEND` or `CREATE` @throws as `openRegular` */
export async function writeRegular(
  path: string,
  text: string,
  flags: number,
  mode?: number,
): Promise<void> {
  const file = await openRegular(path, flags, mode);
  await file.writeFile(text).finally(() => file.close());
}

/** Replaces a whole file: current readers, and hard links to it, keep the old text. @throws as `openRegular` */
export async function replaceFile(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const beside = `${target}.${process.pid}.new`;
  try {
    const mode = (await stat(target).catch(() => undefined))?.mode;
    await rm(beside, { force: true });
    await writeRegular(beside, text, CREATE, mode);
    await rename(beside, target);
  } finally {
    await rm(beside, { force: true });
  }
}

/**
 * Reads many small files ten times as fast as with promises. @returns undefined if the file doesn't exist
 * @throws NotRegularError, a system error, and errors of `read`
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

/** False for links. Synchronous, because each hover checks all of a file's parent folders. */
export function isRealFolder(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}

/** Creates a folder unless it exists; refuses links to folders. @throws NotRegularError, or a system error */
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

/** For files and folders that another run may create at the same time. */
export function ignoreExists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

function statOf(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    // ENOTDIR: a parent of the path is a file.
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
 * Resolves links; parts that don't exist stay unchanged. Synchronous, because each check and hover resolves every path
 * in a file.
 */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPathOf(folder), basename(path));
  }
}
