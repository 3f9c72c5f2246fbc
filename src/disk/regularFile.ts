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
import { join, parse, resolve, sep } from 'node:path';
import { ReasonedError } from '../core/errors.ts';
import { LIMITS, readable } from '../core/limits.ts';

/** Thrown if something other than a regular file or folder is at a path that Turnlight uses. `message` names it. */
export class NotRegularError extends ReasonedError<
  'link' | 'not-a-file' | 'not-a-folder' | 'too-large'
> {
  override readonly name = 'NotRegularError';
}

const READ = constants.O_RDONLY;

export const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

/** Fails with `EEXIST` if the path exists. */
export const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

/** Windows has neither flag. Without `O_NONBLOCK`, opening a pipe would wait for its other end. */
const SAFE_FLAGS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a regular file: not a symbolic link, device, or pipe, and for appending, not a hard link. Links among its parent
 * folders are followed.
 * @param flags `READ`, `APPEND` or `CREATE`
 * @throws NotRegularError, or a system error
 */
export async function openRegular(path: string, flags = READ, mode?: number): Promise<FileHandle> {
  if (flags === CREATE) return openNew(path, mode);
  const check = flags === READ ? assertFile : assertOwnFile;
  const stats = flags === READ ? await lstat(path) : await statOf(path);
  if (stats) check(path, stats);
  const file = await open(path, flags | SAFE_FLAGS, mode);
  try {
    check(path, await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Opens a new file. Opening fails if the path exists, so only a failure requires a check. */
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

/** Reads a regular file, following links. @throws as `openRegular` */
export async function readLinked(path: string): Promise<Buffer> {
  return readRegular(await realpath(path), LIMITS.dataSet);
}

/** @param flags `APPEND` or `CREATE` @throws as `openRegular` */
export async function writeRegular(
  path: string,
  content: string | Uint8Array,
  flags: number,
  mode?: number,
): Promise<void> {
  const file = await openRegular(path, flags, mode);
  await file.writeFile(content).finally(() => file.close());
}

/**
 * Replaces a whole file. Programs that are reading it, and hard links to it, keep the old text.
 *
 * @throws as `openRegular`
 */
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
 * Reads a small file synchronously: for many files, ten times as fast as with promises.
 *
 * @returns undefined if the file doesn't exist
 * @throws NotRegularError, a system error, or an error from `read`
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

/** Whether a path is a folder and not a link. Synchronous, because each hover checks all parent folders of a file. */
export function isRealFolder(path: string): boolean {
  return linkStats(path)?.isDirectory() ?? false;
}

/** About a link itself, not the file that it leads to; undefined if nothing is there or can be seen. */
export function linkStats(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
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

/** Ignores the error if a file or folder already exists, because another run may create it at the same time. */
export function ignoreExists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

function statOf(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    // ENOTDIR: a parent in the path is a file.
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
}

function assertFile(path: string, stats: Stats): void {
  if (stats.isSymbolicLink()) throw linkError(path);
  if (!stats.isFile()) throw notRegularError('not-a-file', path, 'a regular file');
}

/** Like `assertFile`, and that writing to the file doesn't change a file elsewhere. @throws NotRegularError */
function assertOwnFile(path: string, stats: Stats): void {
  assertFile(path, stats);
  if (stats.nlink > 1) {
    const message = `${path} is a hard link: writing to it would also change another file. Replace it with a copy.`;
    throw new NotRegularError('link', message);
  }
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
  const whole = existingPath(path);
  if (whole !== undefined) return whole;
  const named = resolve(path);
  let real = parse(named).root;
  // From the top, because a hostile path can have thousands of missing parts.
  const parts = named.slice(real.length).split(sep);
  for (const [index, part] of parts.entries()) {
    const next = existingPath(join(real, part));
    if (next === undefined) return join(real, parts.slice(index).join(sep));
    real = next;
  }
  return real;
}

function existingPath(path: string): string | undefined {
  try {
    // Quick for a missing file, while an error of `realpathSync` takes longer than the look-up.
    if (!lstatSync(path, { throwIfNoEntry: false })) return undefined;
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
