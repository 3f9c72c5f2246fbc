import { mkdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { unwritable } from '../../disk/fileErrors.ts';
import { CREATING, makeRealFolder, writeRegular } from '../../disk/regularFile.ts';

/** As an error calls them. */
const WHAT = 'What was pulled';

/** Makes a folder of ours beside an eval file. @throws UnwritableError */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await makeRealFolder(path);
  } catch (error) {
    throw unwritable(WHAT, path, error);
  }
}

/** Writes a file of ours anew; a link that stands in its place goes. @throws UnwritableError */
export async function replaceFile(path: string, text: string): Promise<void> {
  try {
    await unlink(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await writeRegular(path, text, CREATING);
  } catch (error) {
    throw unwritable(WHAT, path, error);
  }
}

/** Writes a file unless one is there. @returns whether it was written @throws UnwritableError */
export async function writeOnce(path: string, text: string): Promise<boolean> {
  try {
    await writeRegular(path, text, CREATING);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw unwritable(WHAT, path, error);
  }
}
