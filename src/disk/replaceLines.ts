import type { Stats } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { unwritable } from './unwritable.ts';

/**
 * Writes a file anew beside itself and puts it in its place at once.
 *
 * @param what as messages call it
 * @param before what the file was when its lines were read
 * @returns false where somebody wrote the file meanwhile
 * @throws UnwritableError
 */
export async function replaceLines(
  what: string,
  path: string,
  before: Stats,
  lines: readonly string[],
): Promise<boolean> {
  const beside = `${path}.${process.pid}.new`;
  try {
    await writeThrough(beside, lines.join('\n'), before.mode);
    const now = await stat(path);
    if (now.size !== before.size || now.mtimeMs !== before.mtimeMs) return false;
    await rename(beside, path);
    return true;
  } catch (error) {
    throw unwritable(what, beside, error);
  } finally {
    await rm(beside, { force: true });
  }
}

async function writeThrough(path: string, text: string, mode: number): Promise<void> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'wx', mode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file?.close();
  }
}
