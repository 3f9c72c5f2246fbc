import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import {
  CREATE,
  ignoreExists,
  isRealFolder,
  makeRealFolder,
  realPathOf,
  writeRegular,
} from '../disk/regularFile.ts';
import { HOME_FOLDER, type RecordHome } from '../node/paths.ts';

export interface DataFolder extends RecordHome {
  /** Every folder above the file that holds a `.turnlight`, the nearest first: others hold older records. */
  readonly existing: readonly string[];
}

/** What there is, wherever the next record will be. */
export type ExistingDataFolders = Omit<DataFolder, 'root'>;

/** An eval file, and the folder that its paths may not leave. */
export interface PlacedFile {
  readonly path: string;
  readonly workspace: string;
}

/**
 * Decides where the records of an eval file are, for the editor and for the command line alike:
 *
 *     work/repo/.turnlight     1. in the nearest `.turnlight` above the file, but not above its nearest `.git`
 *     work/repo/.git           2. else next to that `.git`; in a worktree it is a file
 *     work/                    3. else in the workspace, if that contains the file
 *     work/repo/evals/         4. else in the file's folder
 *
 * The home folder and `/` are passed over: whatever is below them would share their records.
 */
export function findDataFolder({ path, workspace }: PlacedFile): DataFolder {
  const found = findExistingDataFolders(path);
  const folder = dirname(found.path);
  const whole = realPathOf(workspace);
  const shared = !isShared(whole) && isWithin(whole, folder) ? whole : folder;
  return { ...found, root: rootAbove(folder) ?? shared };
}

/**
 * Of several eval files, by their paths. A run has one root: if theirs differ, their workspace, if they
 * have one in common.
 */
export function findDataFolders(files: readonly PlacedFile[]): ReadonlyMap<string, DataFolder> {
  const dataFolders = new Map(files.map((file) => [file.path, findDataFolder(file)]));
  const roots = new Set([...dataFolders.values()].map(({ root }) => root));
  const [workspace = '', ...others] = new Set(files.map((file) => realPathOf(file.workspace)));
  const above = roots.size > 1 && others.length === 0 && !isShared(workspace);
  if (!above || ![...roots].every((root) => isWithin(workspace, root))) return dataFolders;
  return new Map(
    [...dataFolders].map(([path, dataFolder]) => [path, { ...dataFolder, root: workspace }]),
  );
}

/** Homes for reports, in which no two files have one name: below one root, if records are not. */
export function dataFoldersBelowOneRoot(
  dataFolders: ReadonlyMap<string, RecordHome>,
): ReadonlyMap<string, RecordHome> {
  const roots = [...new Set([...dataFolders.values()].map(({ root }) => root))];
  const [first] = roots;
  if (first === undefined || roots.length === 1) return dataFolders;
  const above = foldersFrom(first).find((one) => roots.every((root) => isWithin(one, root)));
  return new Map(
    [...dataFolders].map(([path, dataFolder]) => [path, { ...dataFolder, root: above ?? first }]),
  );
}

/** The folder of records that a `.turnlight` or a `.git` above makes; undefined without one. */
export function rootAbove(folder: string): string | undefined {
  const above = foldersFrom(folder).filter((one) => !isShared(one));
  const repository = above.findIndex((one) => existsSync(join(one, '.git')));
  const inside = repository < 0 ? above : above.slice(0, repository + 1);
  return inside.find(hasDataFolder) ?? above[repository];
}

export function findExistingDataFolders(evalFile: string): ExistingDataFolders {
  const named = dirname(evalFile);
  const folder = realPathOf(named);
  const path = join(folder, basename(evalFile));
  const existing = foldersFrom(folder).filter(
    (one) => hasDataFolder(one) && (one === folder || !isShared(one)),
  );
  return { named: evalFile, path, existing };
}

function hasDataFolder(folder: string): boolean {
  return isRealFolder(join(folder, HOME_FOLDER));
}

/** The home folder and the root of the file system. */
function isShared(folder: string): boolean {
  return folder === dirname(folder) || folder === realPathOf(homedir());
}

/** Whether a path is in a folder or is that folder; neither has links. */
export function isWithin(folder: string, path: string): boolean {
  const steps = relative(folder, path);
  return steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps);
}

/** @param root as of `RecordHome` */
export function pathInDataFolder(root: string, name: string): string {
  return join(root, HOME_FOLDER, name);
}

/**
 * Makes the folder of all that Turnlight keeps; a `.gitignore` leaves it out of version control. What
 * is written there stays in the workspace, so that no link is followed.
 */
export async function makeDataFolder(root: string): Promise<void> {
  await makeRealFolder(join(root, HOME_FOLDER));
  await writeRegular(pathInDataFolder(root, '.gitignore'), '*\n', CREATE).catch(ignoreExists);
}

function foldersFrom(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersFrom(above)];
}
