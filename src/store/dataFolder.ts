import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, parse, relative, sep } from 'node:path';
import {
  CREATE,
  ignoreExists,
  isRealFolder,
  linkStats,
  makeRealFolder,
  realPathOf,
  writeRegular,
} from '../disk/regularFile.ts';
import { DATA_FOLDER, type RecordRoot } from '../node/paths.ts';

export interface DataFolder extends RecordRoot {
  /** All folders with a `.turnlight` above the file, nearest first, because they may contain older records. */
  readonly existing: readonly string[];
}

export type ExistingDataFolders = Omit<DataFolder, 'root'>;

/** An eval file and its workspace folder. */
export interface PlacedFile {
  readonly path: string;
  readonly workspace: string;
}

/**
 * Finds the folder for an eval file's records:
 *
 *     work/repo/.turnlight   1. in the nearest `.turnlight` above the file, but not above its nearest `.git`
 *     work/repo/.git         2. else next to that `.git`; in a worktree, `.git` is a file
 *     work/                  3. else in the workspace, if that contains the file
 *     work/repo/evals/       4. else in the file's folder
 *
 * The home folder and `/` are skipped: otherwise, everything below them would share their records.
 */
export function findDataFolder({ path, workspace }: PlacedFile): DataFolder {
  const found = findExistingDataFolders(path);
  const folder = dirname(found.path);
  const whole = realPathOf(workspace);
  const shared = !isShared(whole) && isWithin(whole, folder) ? whole : folder;
  return { ...found, root: rootAbove(folder) ?? shared };
}

/**
 * Finds the folders for several eval files, by path. If their roots differ but they share a workspace, the workspace is
 * their root.
 */
export function findDataFolders(files: readonly PlacedFile[]): ReadonlyMap<string, DataFolder> {
  const dataFolders = new Map(files.map((file) => [file.path, findDataFolder(file)]));
  const roots = new Set([...dataFolders.values()].map(({ root }) => root));
  const [workspace = '', ...others] = new Set(files.map((file) => realPathOf(file.workspace)));
  const above = roots.size > 1 && others.length === 0 && !isShared(workspace);
  if (!above || ![...roots].every((root) => isWithin(workspace, root))) return dataFolders;
  return withRoot(dataFolders, workspace);
}

/** Finds the folders for reports: they have one common root, so that each file has a distinct path. */
export function dataFoldersBelowOneRoot(
  dataFolders: ReadonlyMap<string, RecordRoot>,
): ReadonlyMap<string, RecordRoot> {
  const roots = [...new Set([...dataFolders.values()].map(({ root }) => root))];
  const [first] = roots;
  if (first === undefined || roots.length === 1) return dataFolders;
  const above = foldersFrom(first).find((one) => roots.every((root) => isWithin(one, root)));
  return withRoot(dataFolders, above ?? first);
}

function withRoot<Folder extends RecordRoot>(folders: ReadonlyMap<string, Folder>, root: string) {
  return new Map([...folders].map(([path, folder]) => [path, { ...folder, root }]));
}

/** The nearest folder with a `.turnlight`, up to the repository; if there is none, the repository. */
export function rootAbove(folder: string): string | undefined {
  const above = foldersFrom(folder).filter((one) => !isShared(one));
  const repository = above.findIndex((one) => existsSync(join(one, '.git')));
  const inside = repository < 0 ? above : above.slice(0, repository + 1);
  return inside.find(hasDataFolder) ?? above[repository];
}

/**
 * The outermost folder with a `.git` or a `.turnlight`: a checkout can contain such folders, but can't put
 * one around itself.
 */
export function outermostRoot(folder: string): string | undefined {
  const above = foldersFrom(folder);
  const isCheckout = (one: string) => existsSync(join(one, '.git'));
  const own = above.filter((one) => !isShared(one));
  const home = realPathOf(homedir());
  // On some CI systems, the checkout is the home folder.
  if (!own.some(isCheckout) && above.includes(home) && isCheckout(home)) return home;
  return own.findLast((one) => isCheckout(one) || hasDataFolder(one));
}

/**
 * Whether commits can change a file: it is in the git checkout of a workspace. The home folder is also in one if it is
 * the workspace, as on some CI systems.
 */
export function isCommittable(path: string, workspaces: readonly string[]): boolean {
  const real = realPathOf(path);
  return workspaces.some((workspace) => {
    const checkout = foldersFrom(realPathOf(workspace)).find((one) =>
      existsSync(join(one, '.git')),
    );
    return checkout !== undefined && isWithin(checkout, real);
  });
}

/** The checkout that a link on the way to a file in it leads out of; undefined if there is no such link. */
export function leftThroughLink(path: string, folder: string): string | undefined {
  const checkout = outermostRoot(folder) ?? folder;
  if (!isWithin(checkout, path)) return undefined;
  const real = linkStats(path)?.isSymbolicLink() ? targetOf(path) : realPathOf(path);
  return real !== undefined && isWithin(realPathOf(checkout), real) ? undefined : checkout;
}

/** Where a link leads; undefined if the link is broken. */
function targetOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
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
  return isRealFolder(join(folder, DATA_FOLDER));
}

/** Whether a folder is the home folder or the root of the file system. */
function isShared(folder: string): boolean {
  return folder === dirname(folder) || folder === realPathOf(homedir());
}

/** Whether a path is a folder, or is inside it. Neither path may contain links. */
export function isWithin(folder: string, path: string): boolean {
  const steps = relative(folder, path);
  return steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps);
}

/** @param root see `RecordRoot` */
export function pathInDataFolder(root: string, name: string): string {
  return join(root, DATA_FOLDER, name);
}

/** Creates the folder, with a `.gitignore` for its contents. Doesn't follow links. */
export async function makeDataFolder(root: string): Promise<void> {
  await makeRealFolder(join(root, DATA_FOLDER));
  await writeRegular(pathInDataFolder(root, '.gitignore'), '*\n', CREATE).catch(ignoreExists);
}

/** The existing folders from this one up to the root of the file system. @param folder absolute */
function foldersFrom(folder: string): string[] {
  let above = parse(folder).root;
  const folders = [above];
  // From the top, because a record's path can have a million missing parts.
  for (const part of folder.slice(above.length).split(sep)) {
    above = join(above, part);
    if (part === '' || !existsSync(above)) break;
    folders.push(above);
  }
  return folders.reverse();
}
