import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HOME_FOLDER, type RecordHome } from '../core/record/recordPaths.ts';
import {
  CREATING,
  isRealFolder,
  makeRealFolder,
  unlessThere,
  writeRegular,
} from '../disk/regularFile.ts';

export interface FoundHome extends RecordHome {
  /** Every folder above the file that holds a `.turnlight`, the nearest first: others hold older records. */
  readonly kept: readonly string[];
}

/** What there is, wherever the next record will be. */
export type KeptHomes = Omit<FoundHome, 'root'>;

/**
 * Decides where the records of an eval file stand, the same for the editor and for the command line
 * in any folder:
 *
 *     work/.turnlight     1. in the nearest `.turnlight` above the file
 *     work/repo/.git      2. without one, beside the nearest `.git`; in a worktree that is a file
 *     work/repo/evals/    3. without both, in the folder of the file
 */
export async function findHome(evalFile: string): Promise<FoundHome> {
  const found = await keptHomes(evalFile);
  return { ...found, root: found.kept[0] ?? (await besideRepository(dirname(found.path))) };
}

export async function keptHomes(evalFile: string): Promise<KeptHomes> {
  const named = dirname(evalFile);
  // At once, since hardly ever a link leads elsewhere.
  const [folder, found] = await Promise.all([
    realpath(named).catch(() => named),
    homesAbove(named),
  ]);
  const kept = folder === named ? found : await homesAbove(folder);
  return { named: evalFile, path: join(folder, basename(evalFile)), kept };
}

function homesAbove(folder: string): Promise<string[]> {
  return those(foldersFrom(folder), (one) => isRealFolder(join(one, HOME_FOLDER)));
}

async function besideRepository(folder: string): Promise<string> {
  const [nearest = folder] = await those(foldersFrom(folder), (one) => exists(join(one, '.git')));
  return nearest;
}

/** @param root as of `RecordHome` */
export function keptIn(root: string, name: string): string {
  return join(root, HOME_FOLDER, name);
}

/**
 * Makes the folder of all that Turnlight keeps; a `.gitignore` leaves it out of version control. What
 * is written there stays in the workspace, so that no link is followed.
 */
export async function makeHome(root: string): Promise<void> {
  await makeRealFolder(join(root, HOME_FOLDER));
  await writeRegular(keptIn(root, '.gitignore'), '*\n', CREATING).catch(unlessThere);
}

function foldersFrom(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersFrom(above)];
}

async function those(
  folders: readonly string[],
  wanted: (folder: string) => Promise<boolean>,
): Promise<string[]> {
  const answers = await Promise.all(folders.map(wanted));
  return folders.filter((_folder, index) => answers[index]);
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
