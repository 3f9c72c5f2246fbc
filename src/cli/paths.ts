import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { glob } from 'tinyglobby';
import { uniqueBy } from '../core/data/data.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { matchingFiles, PatternError } from '../disk/glob.ts';
import { linkStats, realPathOf } from '../disk/regularFile.ts';
import { EVAL_GLOB } from '../node/paths.ts';
import { isWithin, leftThroughLink, outermostRoot, rootAbove } from '../store/dataFolder.ts';
import { UsageError } from './exitCode.ts';
import type { Recordings } from './options.ts';

/**
 * @param args files, folders, or globs. Default: the working folder
 * @param advice what to suggest if the working folder has no eval files
 * @returns sorted absolute paths; a file found through several paths appears once
 * @throws UsageError if an argument matches nothing
 */
export async function findEvalFiles(
  args: readonly string[],
  folder: string,
  advice = 'Create one with `turnlight init`, or pass a file, a folder, or a glob.',
): Promise<string[]> {
  const found = new Set<string>();
  for (const arg of args.length === 0 ? ['.'] : args) {
    const files = await filesOf(arg, folder);
    if (files.length === 0) {
      throw new UsageError(
        args.length === 0
          ? `No eval files (*.eval.yaml) in this folder. ${advice}`
          : `"${arg}" matches no eval file. Pass a file, a folder, or a glob such as "evals/**/*.eval.yaml".`,
      );
    }
    for (const file of files) found.add(file);
  }
  // Links in the folder's path are followed, as in records; a file that is itself a link counts as a separate file.
  return uniqueBy([...found].sort(), (file) => join(realPathOf(dirname(file)), basename(file)));
}

/** Whether `findEvalFiles` finds any files for this argument. */
export async function areEvalFiles(arg: string, folder: string): Promise<boolean> {
  return (await filesOf(arg, folder)).length > 0;
}

async function filesOf(arg: string, folder: string): Promise<string[]> {
  const path = resolve(folder, arg);
  if (!existsSync(path)) return globFiles(arg.replaceAll('\\', '/'), folder);
  if (!statSync(path).isDirectory()) return [path];
  return globFiles(EVAL_GLOB, path);
}

/** Through links that stay in the checkout. @throws UsageError for other links */
async function globFiles(pattern: string, folder: string): Promise<string[]> {
  // A folder that the user names in the pattern is searched, even node_modules.
  if (pattern.includes('node_modules')) {
    const given = { cwd: folder, absolute: true, followSymbolicLinks: false };
    return (await glob(pattern, given)).map((file) => resolve(file));
  }
  const files = await matchingFiles([pattern], folder).catch(asUsageError);
  for (const file of files) assertNoLinkOut(file, folder);
  return files;
}

/** For a pattern that the user passes. @throws UsageError */
export function asUsageError(error: unknown): never {
  throw error instanceof PatternError ? new UsageError(error.message) : error;
}

/**
 * The folder that paths in files must not leave: the root of the records at or above the working folder, or else the
 * working folder.
 */
export function workspaceOf(folder: string): string {
  return rootAbove(folder) ?? folder;
}

/** The workspace of a file. For a file outside of `workspace`, it is the file's own folder. */
export function fileWorkspace(file: string, workspace: string): string {
  const inside = !relative(workspace, file).startsWith('..');
  return inside ? workspace : dirname(file);
}

/** Checks that writing to a file in a checkout doesn't change a file outside the checkout. @throws UsageError */
export function assertWritesInside(path: string, folder: string): void {
  const stats = linkStats(path);
  const isInside = isWithin(outermostRoot(folder) ?? folder, path);
  if (
    isInside &&
    stats &&
    ![stats.isFile(), stats.isDirectory(), stats.isSymbolicLink()].some(Boolean)
  ) {
    throw new UsageError(`${visibleLine(path)} is not a regular file. Pass another path.`);
  }
  if (isInside && stats?.isFile() && stats.nlink > 1) {
    throw new UsageError(
      `${visibleLine(path)} is a hard link: writing to it would also change another file. Remove it, or pass another path.`,
    );
  }
  assertNoLinkOut(path, folder);
}

/** Checks that no link on the way to a file in a checkout leads out of the checkout. @throws UsageError */
export function assertNoLinkOut(path: string, folder: string): void {
  const left = leftThroughLink(path, folder);
  if (left === undefined) return;
  throw new UsageError(
    `${visibleLine(path)} is reached through a link that points outside ${visibleLine(left)}. Remove the link, or pass the file that it points to.`,
  );
}

/** Makes the paths of `--record` and `--replay` absolute. @throws UsageError if both are given */
export function resolveRecordings({ record, replay }: Recordings, folder: string): Recordings {
  if (record !== undefined && replay !== undefined) {
    throw new UsageError('Use either --record or --replay, not both.');
  }
  if (record !== undefined) assertWritesInside(resolve(folder, record), folder);
  return {
    ...(record !== undefined && { record: resolve(folder, record) }),
    ...(replay !== undefined && { replay: resolve(folder, replay) }),
  };
}
