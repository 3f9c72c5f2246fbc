import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HOME_FOLDER, type RecordHome } from '../core/record/recordPaths.ts';
import { realPathOf } from '../disk/realPath.ts';
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
export function findHome(evalFile: string): FoundHome {
  const found = keptHomes(evalFile);
  return { ...found, root: found.kept[0] ?? besideRepository(dirname(found.path)) };
}

/** Of several eval files, by their paths. */
export function findHomes(paths: readonly string[]): ReadonlyMap<string, FoundHome> {
  return new Map([...new Set(paths)].map((path) => [path, findHome(path)]));
}

export function keptHomes(evalFile: string): KeptHomes {
  const named = dirname(evalFile);
  const folder = realPathOf(named);
  const path = join(folder, basename(evalFile));
  const kept = foldersFrom(folder).filter((one) => isRealFolder(join(one, HOME_FOLDER)));
  return { named: evalFile, path, kept };
}

function besideRepository(folder: string): string {
  return foldersFrom(folder).find((one) => existsSync(join(one, '.git'))) ?? folder;
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
