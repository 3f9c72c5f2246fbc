import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { firstFree } from '../../core/data/data.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Scrubber } from '../../core/scrubber.ts';
import { counted, formatList } from '../../core/text/format.ts';
import { noticeText, visibleLine } from '../../core/text/visibleText.ts';
import { FileError } from '../../evalfile/files.ts';
import { nodeFiles } from '../../evalfile/nodeFiles.ts';
import { labelLines, type WrittenLabels } from '../../interop/feedback.ts';
import { foundReport } from '../../interop/found.ts';
import { stateOf, writeImport } from '../../interop/importedFiles.ts';
import {
  evalFilePaths,
  type ImportResult,
  importFile,
  leftoverPaths,
} from '../../interop/importFile.ts';
import { optionsFor, type Shape } from '../../interop/shape.ts';
import { EVAL_ENDING } from '../../node/paths.ts';
import { terminalLayout } from '../../report/findings/layout.ts';
import { createPaint } from '../../report/style.ts';
import type { Secrets } from '../secrets.ts';
import { env, mayWrite, reportError, workspaceOf } from '../workspace.ts';

const SHOW = 'Show Omitted Items';
const DETAILS = 'Show Details';
const REPLACE = 'Replace';
const KEEP = 'Import as Another File';
const IMPORT = 'Import';
const DELETE = 'Delete';

/** Extensions of files that importers read. */
const IMPORTABLE = ['json', 'jsonl', 'ndjson', 'yaml', 'yml', 'csv'] as const;

/**
 * Converts another tool's file to an eval file next to it, and opens it. Replaces only its own earlier result: without
 * asking if that is unedited.
 *
 * @param given the file whose menu was used
 */
export async function importAsEvalFile(
  given: unknown,
  secrets: Secrets,
  log: vscode.LogOutputChannel,
): Promise<void> {
  const source = await sourceOf(given);
  if (!source) return;
  const text = await textOf(source);
  if (text === undefined) return;
  await importText(source, text, await secrets.scrubber(), {}, log);
}

async function importText(
  source: vscode.Uri,
  text: string,
  scrubber: Scrubber,
  shape: Shape,
  log: vscode.LogOutputChannel,
): Promise<void> {
  const own = { ...(await placeNextTo(source)), path: evalFilePaths(source.fsPath, 1)[0] ?? '' };
  let imported = await importFile(source.fsPath, text, own, scrubber, shape);
  let place = own;
  let paths = evalFilePaths(source.fsPath, imported.texts.length);
  const choice = await whereTo(paths, source);
  if (choice === 'nowhere') return;
  if (choice === 'beside') {
    place = await placeNextTo(source);
    imported = await importFile(source.fsPath, text, place, scrubber, shape);
    paths = await freePaths(source.fsPath, imported.texts.length);
  }
  if (!(await mayWrite(vscode.Uri.file(place.path)))) return;
  const labels = await writeImport(imported, paths, place, choice === 'replace');
  const [first] = paths;
  if (first) await vscode.window.showTextDocument(vscode.Uri.file(first), { preview: false });
  logImport(source, imported, labels, log);
  for (const one of labels.tooLarge) void vscode.window.showWarningMessage(noticeText(one));
  if (choice === 'replace') {
    void offerDeletion(await leftoverPaths(source.fsPath, paths.length, own.files));
  }
  const { guess = {} } = imported;
  // Asks only once.
  const isGuessed = optionsFor(guess) !== '' && optionsFor(shape) === '';
  if (!isGuessed) reportImport(source, paths, imported, log);
  else if (await isShape(source, guess)) await importText(source, text, scrubber, guess, log);
}

/** Where to write eval files: as new files, over an earlier import, under other names, or nowhere. */
async function whereTo(
  paths: readonly string[],
  source: vscode.Uri,
): Promise<'new' | 'replace' | 'beside' | 'nowhere'> {
  const state = await stateOf(paths, source.fsPath, nodeFiles());
  if (state === 'absent') return 'new';
  if (state === 'foreign') return 'beside';
  const isDirty = vscode.workspace.textDocuments.some(
    (one) => one.isDirty && paths.includes(one.uri.fsPath),
  );
  if (state === 'own' && !isDirty) return 'replace';
  const names = paths.map((path) => vscode.workspace.asRelativePath(path)).join(', ');
  const chosen = await vscode.window.showWarningMessage(
    noticeText(`${names} was edited since it was imported. Replace it?`),
    { modal: true, detail: 'Your edits would be lost.' },
    KEEP,
    REPLACE,
  );
  if (chosen === undefined) return 'nowhere';
  return chosen === REPLACE ? 'replace' : 'beside';
}

/** Offers to delete eval files of earlier imports that weren't replaced. */
async function offerDeletion(left: readonly string[]): Promise<void> {
  if (left.length === 0) return;
  const uris = left.map((path) => vscode.Uri.file(path));
  const names = formatList(uris.map((uri) => vscode.workspace.asRelativePath(uri)));
  const what = left.length === 1 ? 'is from an earlier import' : 'are from earlier imports';
  const text = `${names} ${what}, and not replaced. Delete?`;
  if ((await vscode.window.showInformationMessage(noticeText(text), DELETE)) !== DELETE) return;
  const edit = new vscode.WorkspaceEdit();
  for (const uri of uris) edit.deleteFile(uri, { ignoreIfNotExists: true });
  await vscode.workspace.applyEdit(edit);
}

/** Asks whether a file has the shape that it seems to have. */
async function isShape(source: vscode.Uri, guess: Shape): Promise<boolean> {
  const name = vscode.workspace.asRelativePath(source);
  const sides = Object.entries(guess.roles ?? {}).map(([side, role]) => `"${side}" as ${role}`);
  const where = guess.path ? ` under ${guess.path}` : '';
  const who = sides.length > 0 ? `, with ${formatList(sides)}` : '';
  const text = `The format of ${name} is unknown. It seems to have messages${where}${who}.`;
  return (await vscode.window.showWarningMessage(noticeText(text), IMPORT)) === IMPORT;
}

async function sourceOf(given: unknown): Promise<vscode.Uri | undefined> {
  const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme === 'file' && (given !== undefined || isImportable(uri))) return uri;
  const picked = await vscode.window.showOpenDialog({
    title: 'Import as Eval File',
    openLabel: 'Import',
    filters: { 'Chats, traces, and files from other tools': [...IMPORTABLE] },
  });
  return picked?.[0];
}

/** Logs what was found and what was left out. */
function logImport(
  source: vscode.Uri,
  { found, entries }: ImportResult,
  labels: WrittenLabels,
  log: vscode.LogOutputChannel,
): void {
  const name = vscode.workspace.asRelativePath(source);
  if (found) log.info(foundReport(visibleLine(name), found, terminalLayout(createPaint(false))));
  for (const line of labelLines(labels)) log.info(line);
  for (const entry of entries) {
    const text = visibleLine(`${source.fsPath}:${entry.line}: ${entry.message}`);
    if (entry.broken) log.error(text);
    else log.info(text);
  }
}

function reportImport(
  source: vscode.Uri,
  paths: readonly string[],
  { cases, entries, found }: ImportResult,
  log: vscode.LogOutputChannel,
): void {
  const broken = entries.find((one) => one.broken);
  const name = vscode.workspace.asRelativePath(source);
  const files = paths.map((path) => vscode.workspace.asRelativePath(path)).join(', ');
  const left = entries.length === 0 ? '' : ` ${counted(entries.length, 'item')} omitted.`;
  const text =
    cases === 0
      ? `Nothing was imported from ${name}. ${broken?.message ?? ''}`
      : `Imported ${counted(cases, 'case')} from ${name} into ${files}.${left}`;
  const show = broken ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
  const button = entries.length === 0 ? DETAILS : cases === 0 ? 'Show Log' : SHOW;
  void show(noticeText(text), ...(entries.length > 0 || found ? [button] : [])).then((choice) => {
    if (choice === button) log.show();
  });
}

export function isImportable({ path }: vscode.Uri): boolean {
  return IMPORTABLE.some((ending) => path.endsWith(`.${ending}`));
}

/** The text as it appears in the editor: unsaved changes override the file on disk. */
export async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  const open = vscode.workspace.textDocuments.find(
    (one) => one.isDirty && one.uri.toString() === uri.toString(),
  );
  if (open) return open.getText();
  try {
    return await nodeFiles().read(uri.fsPath, LIMITS.imported);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    reportError(`${vscode.workspace.asRelativePath(uri)}: ${error.message}`);
    return undefined;
  }
}

/** Where to create a new eval file next to its source. */
export async function placeNextTo(source: vscode.Uri) {
  const [path = ''] = await freePaths(source.fsPath, 1);
  return { path, workspace: workspaceOf(source), files: nodeFiles(), env };
}

/** `log.eval.yaml`, or the first name that isn't taken: `log-2.eval.yaml`, and so on. */
async function freePaths(source: string, count: number): Promise<string[]> {
  const folder = await vscode.workspace.fs.readDirectory(vscode.Uri.file(dirname(source)));
  const taken = new Set(folder.map(([name]) => name));
  const [own = ''] = evalFilePaths(source, 1);
  const stem = own.replace(EVAL_ENDING, '');
  const nameOfPath = (path: string) => path.slice(dirname(path).length + 1);
  const at = (number: number) => (number === 1 ? stem : `${stem}-${number}`);
  const first = firstFree(at, (one) =>
    evalFilePaths(source, count, `${one}.eval.yaml`).some((path) => taken.has(nameOfPath(path))),
  );
  return evalFilePaths(source, count, `${first}.eval.yaml`);
}
