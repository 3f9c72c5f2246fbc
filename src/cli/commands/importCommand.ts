import { resolve } from 'node:path';
import { groupBy } from '../../core/data/data.ts';
import { LIMITS } from '../../core/limits.ts';
import { counted } from '../../core/text/format.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { toUnwritableError } from '../../disk/fileErrors.ts';
import { CREATE, replaceFile, writeRegular } from '../../disk/regularFile.ts';
import { FileError, type Files } from '../../evalfile/files.ts';
import { nodeFiles } from '../../evalfile/nodeFiles.ts';
import type { GivenFile } from '../../interop/generateFile.ts';
import type { Entry } from '../../interop/importer.ts';
import { evalFilePaths, type Imported, importFile } from '../../interop/importFile.ts';
import { shownPath } from '../../report/style.ts';
import { EXIT, type ExitCode, UsageError } from '../exitCode.ts';
import { assertNoLinkOut, fileWorkspace, workspaceOf } from '../paths.ts';
import type { Shell } from '../shell.ts';

export interface ImportOptions {
  readonly output?: string;
  readonly force?: boolean;
}

/** Imports everything it can read; exits with 3 if part of a file is broken. @throws UsageError, UnwritableError */
export async function importFiles(
  args: readonly string[],
  options: ImportOptions,
  shell: Shell,
): Promise<ExitCode> {
  if (options.output !== undefined && args.length > 1) {
    throw new UsageError('--output works with one imported file only.');
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
  const imported = await importFile(path, text, {
    path: first,
    files,
    workspace: fileWorkspace(first, workspaceOf(shell.folder)),
    env: shell.env,
  });
  const paths = evalFilePaths(path, imported.texts.length, out);
  for (const one of paths) {
    if (one === path) throw new UsageError(`${one} is the imported file itself.`);
    assertNoLinkOut(one, shell.folder);
  }
  if (!force) await assertAbsent(paths, files, shell);
  for (const [index, one] of paths.entries()) {
    await writeEvalFile(one, imported.texts[index] as string, force);
  }
  report(path, paths, imported, shell);
  return imported.entries.some(({ broken }) => broken) ? EXIT.invalid : EXIT.passed;
}

/** Reads a file or pipe that the user passed. @throws UsageError */
export async function readGiven(path: string, shell: Shell): Promise<GivenFile> {
  const read = nodeFiles(new Set([path])).read(path, LIMITS.imported);
  const text = await read.catch((error: unknown) => {
    if (!(error instanceof FileError)) throw error;
    throw new UsageError(`${shownPath(path, shell.folder)}: ${error.message}`);
  });
  return { path, text };
}

/** @throws UsageError if one of the files exists */
export async function assertAbsent(
  paths: readonly string[],
  files: Files,
  shell: Shell,
): Promise<void> {
  for (const path of paths) {
    if ((await files.kindOf(path)) === undefined) continue;
    const shown = shownPath(path, shell.folder);
    throw new UsageError(
      `${shown} already exists. Pass --force to overwrite it, or --output with another file.`,
    );
  }
}

/** @param force overwrites an existing file, even one created since the check @throws UnwritableError */
export async function writeEvalFile(path: string, text: string, force: boolean): Promise<void> {
  const written = force ? replaceFile(path, text) : writeRegular(path, text, CREATE);
  await written.catch((error: unknown) => {
    throw toUnwritableError('The eval file', path, error);
  });
}

function report(path: string, paths: readonly string[], imported: Imported, shell: Shell): void {
  const { importer, cases, entries } = imported;
  const shown = shownPath(path, shell.folder);
  reportEntries(shown, entries, shell);
  const written = paths.map((one) => shownPath(one, shell.folder)).join(', ');
  const from = importer === undefined ? '' : ` (${importer})`;
  const found = cases === 0 ? 'nothing imported' : `${counted(cases, 'case')} in ${written}`;
  shell.out.write(`${shown}${from}: ${found}.\n`);
}

/** Reports what was left out, one line each. Combines equal messages. */
export function reportEntries(shown: string, entries: readonly Entry[], shell: Shell): void {
  const groups = groupBy(entries, ({ message, broken }) => `${broken} ${message}`);
  for (const [{ line, message, broken }, ...more] of groups.values()) {
    const kind = broken ? 'error' : 'not imported';
    const elsewhere = more.length > 0 ? ` And in ${counted(more.length, 'other place')}.` : '';
    shell.out.write(`${shown}:${line}: ${kind}: ${visibleLine(message)}${elsewhere}\n`);
  }
}
