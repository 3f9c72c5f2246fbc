import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { glob } from 'tinyglobby';
import { uniqueBy } from '../core/data/data.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { realPathOf } from '../disk/regularFile.ts';
import { EVAL_GLOB } from '../node/paths.ts';
import { isWithin, rootAbove } from '../store/dataFolder.ts';
import { UsageError } from './exitCode.ts';
import type { Recordings } from './options.ts';

const IGNORED = ['**/node_modules/**', '**/.git/**'];

/**
 * @param args files, folders, or globs. Default: the working folder
 * @param advice for a working folder without eval files
 * @returns sorted absolute paths; a file found through several paths appears once
 * @throws UsageError if an argument matches nothing
 */
export async function findEvalFiles(
  args: readonly string[],
  folder: string,
  advice = 'Pass a file, a folder, or a glob.',
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
  // Records name a file by its real folder, but a file that is a link counts as a separate file.
  return uniqueBy([...found].sort(), (file) => join(realPathOf(dirname(file)), basename(file)));
}

/** Whether `findEvalFiles` finds any for this argument. */
export async function areEvalFiles(arg: string, folder: string): Promise<boolean> {
  return (await filesOf(arg, folder)).length > 0;
}

async function filesOf(arg: string, folder: string): Promise<string[]> {
  const path = resolve(folder, arg);
  if (!existsSync(path)) return globFiles(arg.replaceAll('\\', '/'), folder);
  if (!statSync(path).isDirectory()) return [path];
  return globFiles(EVAL_GLOB, path);
}

async function globFiles(pattern: string, folder: string): Promise<string[]> {
  // A folder that the user names in the pattern is searched, even node_modules.
  const ignore = pattern.includes('node_modules') ? [] : IGNORED;
  const given = { cwd: folder, absolute: true, ignore, followSymbolicLinks: false };
  const files = await glob(pattern, given);
  return files.map((file) => resolve(file));
}

/** Paths in files may not leave this folder. Default: the working folder, if no root of records is at or above it. */
export function workspaceOf(folder: string): string {
  return rootAbove(folder) ?? folder;
}

/** The workspace of a file; outside of `workspace`, the file's own folder. */
export function fileWorkspace(file: string, workspace: string): string {
  const inside = !relative(workspace, file).startsWith('..');
  return inside ? workspace : dirname(file);
}

/** Checks that a file in the workspace isn't behind a link out of it, as in a checkout. @throws UsageError */
export function assertNoLinkOut(path: string, folder: string): void {
  const workspace = workspaceOf(folder);
  if (!isWithin(workspace, path)) return;
  const real = isLink(path) ? targetOf(path) : realPathOf(path);
  if (real !== undefined && isWithin(realPathOf(workspace), real)) return;
  throw new UsageError(
    `${visibleLine(path)} is behind a link that leads out of ${visibleLine(workspace)}. Remove the link, or pass the file that it points to.`,
  );
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Undefined if the link is broken. */
function targetOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Makes the paths of `--record` and `--replay` absolute. @throws UsageError if both are given */
export function resolveRecordings({ record, replay }: Recordings, folder: string): Recordings {
  if (record !== undefined && replay !== undefined) {
    throw new UsageError('Use either --record or --replay, not both.');
  }
  if (record !== undefined) assertNoLinkOut(resolve(folder, record), folder);
  return {
    ...(record !== undefined && { record: resolve(folder, record) }),
    ...(replay !== undefined && { replay: resolve(folder, replay) }),
  };
}
