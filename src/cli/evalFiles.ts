import { existsSync, statSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { glob } from 'tinyglobby';
import { rootAbove } from '../store/home.ts';
import { UsageError } from './exitCode.ts';

const EVAL_FILES = '**/*.eval.{yaml,yml}';
const IGNORED = ['**/node_modules/**', '**/.git/**'];

/**
 * The eval files that the arguments name: files, folders (every eval file in them) or globs.
 *
 * @param folder the working folder; without arguments every eval file under it
 * @returns absolute paths, sorted, each once
 * @param advice what to do where there is none under it
 * @throws UsageError where an argument names nothing
 */
export async function findEvalFiles(
  args: readonly string[],
  folder: string,
  advice = 'Pass a file, a folder or a glob.',
): Promise<string[]> {
  const found = new Set<string>();
  for (const arg of args.length === 0 ? ['.'] : args) {
    const files = await filesOf(arg, folder);
    if (files.length === 0) throw new UsageError(nothingFound(arg, args.length === 0, advice));
    for (const file of files) found.add(file);
  }
  return [...found].sort();
}

/** Whether an argument names any, as `findEvalFiles` takes it. */
export async function areEvalFiles(arg: string, folder: string): Promise<boolean> {
  return (await filesOf(arg, folder)).length > 0;
}

async function filesOf(arg: string, folder: string): Promise<string[]> {
  const path = resolve(folder, arg);
  if (!existsSync(path)) return globFiles(arg.replaceAll('\\', '/'), folder);
  if (!statSync(path).isDirectory()) return [path];
  return globFiles(EVAL_FILES, path);
}

async function globFiles(pattern: string, folder: string): Promise<string[]> {
  // A folder of the pattern that the user wrote out is looked into, even node_modules.
  const ignore = pattern.includes('node_modules') ? [] : IGNORED;
  const files = await glob(pattern, {
    cwd: folder,
    absolute: true,
    ignore,
    followSymbolicLinks: false,
  });
  return files.map((file) => resolve(file));
}

function nothingFound(arg: string, isDefault: boolean, advice: string): string {
  if (isDefault) return `No eval files (*.eval.yaml) in this folder. ${advice}`;
  return `"${arg}" matches no eval file. Pass a file, a folder or a glob such as "evals/**/*.eval.yaml".`;
}

/**
 * The folder that a file's paths may not leave: where records are kept above the working folder, else
 * the working folder. A file outside of it is a workspace of its own.
 */
export function workspaceOf(folder: string): string {
  return rootAbove(folder) ?? folder;
}

export function fileWorkspace(file: string, workspace: string): string {
  const inside = !relative(workspace, file).startsWith('..');
  return inside ? workspace : dirname(file);
}
