import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { groupBy } from '../core/data.ts';
import { LIMITS } from '../core/limits.ts';
import { counted } from '../core/presentation/amounts.ts';
import { visibleLine } from '../core/presentation/visibleText.ts';
import { CREATING, writeRegular } from '../disk/regularFile.ts';
import { unwritable } from '../disk/unwritable.ts';
import { FileError } from '../evalfile/files.ts';
import { nodeFiles } from '../evalfile/nodeFiles.ts';
import { evalFilePaths } from '../interop/evalFilePaths.ts';
import type { Imported } from '../interop/importFile.ts';
import { shownPath } from '../report/shownPath.ts';
import { fileWorkspace, workspaceOf } from './evalFiles.ts';
import { EXIT, type ExitCode, UsageError } from './exitCode.ts';
import type { Shell } from './shell.ts';

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
  const files = nodeFiles(new Set([path]));
  const text = await files.read(path, LIMITS.imported).catch((error: unknown) => {
    if (error instanceof FileError) throw new UsageError(`${path}: ${error.message}`);
    throw error;
  });
  const out = output === undefined ? undefined : resolve(shell.folder, output);
  const [first = ''] = evalFilePaths(path, 1, out);
  const { importFile } = await import('../interop/importFile.ts');
  const imported = await importFile(path, text, {
    path: first,
    files,
    workspace: fileWorkspace(first, workspaceOf(shell.folder)),
    env: shell.env,
  });
  const paths = evalFilePaths(path, imported.texts.length, out);
  for (const one of paths) if (one === path) throw new UsageError(`${one} is the file itself.`);
  const taken = force ? [] : await takenOf(paths, files);
  if (taken[0] !== undefined) {
    const shown = shownPath(taken[0], shell.folder);
    throw new UsageError(`${shown} is there already. Pass --force, or --output with another file.`);
  }
  for (const [index, one] of paths.entries()) {
    await save(one, imported.texts[index] as string, force);
  }
  report(path, paths, imported, shell);
  return imported.entries.some(({ broken }) => broken) ? EXIT.invalid : EXIT.passed;
}

async function takenOf(
  paths: readonly string[],
  files: ReturnType<typeof nodeFiles>,
): Promise<string[]> {
  const kinds = await Promise.all(paths.map((path) => files.kindOf(path)));
  return paths.filter((_path, index) => kinds[index] !== undefined);
}

/** Nothing is written over that came in the meantime. @throws UnwritableError */
async function save(path: string, text: string, force: boolean): Promise<void> {
  const written = force ? writeFile(path, text) : writeRegular(path, text, CREATING);
  await written.catch((error: unknown) => {
    throw unwritable('The eval file', path, error);
  });
}

function report(path: string, paths: readonly string[], imported: Imported, shell: Shell): void {
  const { importer, cases, entries } = imported;
  const shown = shownPath(path, shell.folder);
  const said = groupBy(entries, ({ message, broken }) => `${broken} ${message}`);
  for (const [{ line, message, broken }, ...more] of said.values()) {
    const kind = broken ? 'error' : 'not carried over';
    const elsewhere = more.length > 0 ? ` And in ${counted(more.length, 'other place')}.` : '';
    shell.out.write(`${shown}:${line}: ${kind}: ${visibleLine(message)}${elsewhere}\n`);
  }
  const written = paths.map((one) => shownPath(one, shell.folder)).join(', ');
  const from = importer === undefined ? '' : ` (${importer})`;
  shell.out.write(
    cases === 0
      ? `${shown}${from}: nothing imported.\n`
      : `${shown}${from}: ${counted(cases, 'case')} in ${written}.\n`,
  );
}
