import { dirname, join, resolve } from 'node:path';
import { groupBy, isJsonPointer } from '../../core/data/data.ts';
import { LIMITS } from '../../core/limits.ts';
import { counted } from '../../core/text/format.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { FileError, type Files } from '../../evalfile/files.ts';
import { nodeFiles } from '../../evalfile/nodeFiles.ts';
import { sideNamed } from '../../evalfile/transcript.ts';
import { labelLines, type WrittenLabels } from '../../interop/feedback.ts';
import { foundReport } from '../../interop/found.ts';
import type { GivenFile } from '../../interop/generateFile.ts';
import { stateOf, writeImport } from '../../interop/importedFiles.ts';
import type { Entry } from '../../interop/importer.ts';
import {
  evalFilePaths,
  type ImportResult,
  importFile,
  leftoverPaths,
} from '../../interop/importFile.ts';
import type { Shape } from '../../interop/shape.ts';
import { shownPath } from '../../report/style.ts';
import { EXIT, type ExitCode, UsageError } from '../exitCode.ts';
import { assertNoLinkOut, assertWritesInside, fileWorkspace, workspaceOf } from '../paths.ts';
import { layoutFor } from '../reporters.ts';
import type { Shell } from '../shell.ts';

export interface WritingOptions {
  readonly output?: string;
  readonly force?: boolean;
}

interface ImportOptions extends WritingOptions {
  readonly path?: string;
  readonly roles?: string;
  readonly format: 'terminal' | 'markdown';
}

/**
 * Imports everything that can be read; exits with 3 if part of a file is broken, and with 4 if labels are left out.
 *
 * @throws UsageError, UnwritableError
 */
export async function importFiles(
  args: readonly string[],
  options: ImportOptions,
  shell: Shell,
): Promise<ExitCode> {
  if (options.output !== undefined && args.length > 1) {
    throw new UsageError('--output works only with one imported file.');
  }
  let code: ExitCode = EXIT.passed;
  for (const arg of args) {
    const one = await importOne(resolve(shell.folder, arg), options, shell);
    if (one !== EXIT.passed) code = one;
  }
  return code;
}

async function importOne(path: string, options: ImportOptions, shell: Shell): Promise<ExitCode> {
  const { output, force = false } = options;
  const { text } = await readGiven(path, shell);
  const files = nodeFiles();
  const out = output === undefined ? undefined : resolve(shell.folder, output);
  const [first = ''] = evalFilePaths(path, 1, out);
  const place = {
    path: first,
    files,
    workspace: fileWorkspace(first, workspaceOf(shell.folder)),
    env: shell.env,
  };
  const imported = await importFile(path, text, place, shell.scrubber, shapeOf(options));
  const paths = evalFilePaths(path, imported.texts.length, out);
  const data = imported.data.map((one) => join(dirname(first), one.path));
  for (const one of [...paths, ...data]) {
    if (one === path) throw new UsageError(`${one} is the imported file itself.`);
    assertWritesInside(one, shell.folder);
  }
  const state = await stateOf(paths, path, files);
  const isUpdate = state === 'own';
  if (state === 'edited' && !force) {
    const shown = paths.map((one) => shownPath(one, shell.folder)).join(', ');
    throw new UsageError(
      `${shown} was edited since it was imported. Pass --force to replace it and lose the edits, or --output with another file.`,
    );
  }
  if (!isUpdate && !force) await assertAbsent([...paths, ...data], files, shell);
  const labels = await writeImport(imported, paths, place, isUpdate || force);
  const left = await leftoverPaths(path, paths.length, files, out);
  report(path, { paths, imported, labels, isUpdate, left }, options.format, shell);
  if (labels.tooLarge.length > 0) return EXIT.unwritten;
  return imported.entries.some(({ broken }) => broken) ? EXIT.invalid : EXIT.passed;
}

/** @throws UsageError */
function shapeOf({ path, roles }: ImportOptions): Shape {
  if (path !== undefined && !isJsonPointer(path)) {
    throw new UsageError('--path: expected a JSON pointer, such as /data/*/dialog.');
  }
  const pairs = roles?.split(',').map((pair) => {
    const at = pair.lastIndexOf('=');
    const role = sideNamed(pair.slice(at + 1), {});
    if (at > 0 && role) return [pair.slice(0, at), role] as const;
    throw new UsageError(
      `--roles: expected names of sides and their roles, such as customer=user,bot=assistant; found "${visibleLine(pair, 80)}".`,
    );
  });
  return {
    ...(path !== undefined && { path }),
    ...(pairs && { roles: Object.fromEntries(pairs) }),
  };
}

/** Reads a file or pipe that the user named. @throws UsageError */
export async function readGiven(path: string, shell: Shell): Promise<GivenFile> {
  assertNoLinkOut(path, shell.folder);
  const read = nodeFiles(new Set([path])).read(path, LIMITS.imported);
  const text = await read.catch((error: unknown) => {
    if (!(error instanceof FileError)) throw error;
    throw new UsageError(`${shownPath(path, shell.folder)}: ${error.message}`);
  });
  return { path, text };
}

/** @throws UsageError if any of the files exists */
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

interface Imported {
  readonly paths: readonly string[];
  readonly imported: ImportResult;
  readonly labels: WrittenLabels;
  readonly isUpdate: boolean;
  /** Eval files of an earlier import that this one doesn't replace. */
  readonly left: readonly string[];
}

function report(
  path: string,
  { paths, imported, labels, isUpdate, left }: Imported,
  format: ImportOptions['format'],
  shell: Shell,
): void {
  const { found, cases, entries } = imported;
  const shown = shownPath(path, shell.folder);
  const layout = layoutFor(format, shell);
  const written = paths.map((one) => shownPath(one, shell.folder)).join(', ');
  const result = cases === 0 ? 'nothing imported' : `${counted(cases, 'case')} in ${written}`;
  const how = isUpdate ? ', which replaces the earlier import' : '';
  const lines = [
    ...entryLines(shown, entries),
    ...labelLines(labels).map((line) => `${shown}: ${line}`),
    `${shown}: ${result}${how}.`,
    ...left.map(
      (one) =>
        `${shown}: ${shownPath(one, shell.folder)} is from an earlier import, and was not replaced. Its cases still run; delete it if you don't need them.`,
    ),
  ];
  const parts = [...(found ? [foundReport(shown, found, layout)] : []), layout.list(lines)];
  shell.out.report(`${parts.join('\n\n')}\n`);
}

/** What was left out, one line per entry. Combines identical messages. */
export function entryLines(shown: string, entries: readonly Entry[]): string[] {
  const groups = groupBy(entries, ({ message, broken }) => `${broken} ${message}`);
  return [...groups.values()].map(([{ line, message, broken }, ...more]) => {
    const kind = broken ? 'error' : 'not imported';
    const elsewhere = more.length > 0 ? ` And in ${counted(more.length, 'other place')}.` : '';
    return `${shown}:${line}: ${kind}: ${visibleLine(message)}${elsewhere}`;
  });
}
