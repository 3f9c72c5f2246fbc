import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { groupBy } from '../../core/data/data.ts';
import { LIMITS } from '../../core/limits.ts';
import { counted } from '../../core/presentation/amounts.ts';
import { visibleLine } from '../../core/presentation/visibleText.ts';
import { CREATING, writeRegular } from '../../disk/regularFile.ts';
import { unwritable } from '../../disk/unwritable.ts';
import { FileError, type Files } from '../../evalfile/files.ts';
import { nodeFiles } from '../../evalfile/nodeFiles.ts';
import { evalFilePaths } from '../../interop/evalFilePaths.ts';
import type { GivenFile } from '../../interop/generateFile.ts';
import type { Entry } from '../../interop/importer.ts';
import type { Imported } from '../../interop/importFile.ts';
import { shownPath } from '../../report/shownPath.ts';
import { fileWorkspace, workspaceOf } from '../evalFiles.ts';
import { EXIT, type ExitCode, UsageError } from '../exitCode.ts';
import { assertNoLinkOut } from '../linksOut.ts';
import type { Shell } from '../shell.ts';

export interface ImportOptions {
  readonly output?: string;
  readonly force?: boolean;
}

/**
 * Writes eval files beside the files of other tools. What could be read is kept; a file of which
 * something is broken exits with 3. Runs nothing and asks nobody.
 *
 * @throws UsageError, UnwritableError
 */
export async function importFiles(
  args: readonly string[],
  options: ImportOptions,
  shell: Shell,
): Promise<ExitCode> {
  if (options.output !== undefined && args.length > 1) {
    throw new UsageError('--output takes the eval file of one imported file.');
  }
  let code: ExitCode = EXIT.passed;
  for (const arg of args) {
    const one = await importOne(resolve(shell.folder, arg), options, shell);
    if (one !== EXIT.passed) code = one;
  }
  return code;
}

async function importOne(
  path: string,
  { output, force = false }: ImportOptions,
  shell: Shell,
): Promise<ExitCode> {
  const { text } = await readGiven(path, shell);
  const files = nodeFiles();
  const out = output === undefined ? undefined : resolve(shell.folder, output);
  const [first = ''] = evalFilePaths(path, 1, out);
  const { importFile } = await import('../../interop/importFile.ts');
  const imported = await importFile(path, text, {
    path: first,
    files,
    workspace: fileWorkspace(first, workspaceOf(shell.folder)),
    env: shell.env,
  });
  const paths = evalFilePaths(path, imported.texts.length, out);
  for (const one of paths) if (one === path) throw new UsageError(`${one} is the file itself.`);
  for (const one of paths) assertNoLinkOut(one, shell.folder);
  if (!force) await assertFree(paths, files, shell);
  for (const [index, one] of paths.entries()) {
    await save(one, imported.texts[index] as string, force);
  }
  report(path, paths, imported, shell);
  return imported.entries.some(({ broken }) => broken) ? EXIT.invalid : EXIT.passed;
}

/** A file that the user named, also a pipe. @throws UsageError */
export async function readGiven(path: string, shell: Shell): Promise<GivenFile> {
  const read = nodeFiles(new Set([path])).read(path, LIMITS.imported);
  const text = await read.catch((error: unknown) => {
    if (!(error instanceof FileError)) throw error;
    throw new UsageError(`${shownPath(path, shell.folder)}: ${error.message}`);
  });
  return { path, text };
}

/** @throws UsageError where one of the files is there */
export async function assertFree(
  paths: readonly string[],
  files: Files,
  shell: Shell,
): Promise<void> {
  for (const path of paths) {
    if ((await files.kindOf(path)) === undefined) continue;
    const shown = shownPath(path, shell.folder);
    throw new UsageError(`${shown} is there already. Pass --force, or --output with another file.`);
  }
}

/** Nothing is written over that came in the meantime. @throws UnwritableError */
export async function save(path: string, text: string, force: boolean): Promise<void> {
  const written = force ? writeFile(path, text) : writeRegular(path, text, CREATING);
  await written.catch((error: unknown) => {
    throw unwritable('The eval file', path, error);
  });
}

function report(path: string, paths: readonly string[], imported: Imported, shell: Shell): void {
  const { importer, cases, entries } = imported;
  const shown = shownPath(path, shell.folder);
  tellEntries(shown, entries, shell);
  const written = paths.map((one) => shownPath(one, shell.folder)).join(', ');
  const from = importer === undefined ? '' : ` (${importer})`;
  shell.out.write(
    cases === 0
      ? `${shown}${from}: nothing imported.\n`
      : `${shown}${from}: ${counted(cases, 'case')} in ${written}.\n`,
  );
}

/** What was left out, a line each; what is said of several places is said once. */
export function tellEntries(shown: string, entries: readonly Entry[], shell: Shell): void {
  const said = groupBy(entries, ({ message, broken }) => `${broken} ${message}`);
  for (const [{ line, message, broken }, ...more] of said.values()) {
    const kind = broken ? 'error' : 'not carried over';
    const elsewhere = more.length > 0 ? ` And in ${counted(more.length, 'other place')}.` : '';
    shell.out.write(`${shown}:${line}: ${kind}: ${visibleLine(message)}${elsewhere}\n`);
  }
}
