import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { firstFree } from '../../core/data/data.ts';
import { LIMITS } from '../../core/limits.ts';
import { counted } from '../../core/text/format.ts';
import { noticeText, visibleLine } from '../../core/text/visibleText.ts';
import { FileError } from '../../evalfile/files.ts';
import { nodeFiles } from '../../evalfile/nodeFiles.ts';
import { evalFilePaths, type Imported, importFile } from '../../interop/importFile.ts';
import { EVAL_ENDING } from '../../node/paths.ts';
import { env, reportError, workspaceOf } from '../workspace.ts';

const SHOW = 'Show Omitted Items';

/** Extensions of files that importers read. */
const IMPORTABLE = ['json', 'jsonl', 'ndjson', 'yaml', 'yml', 'csv'] as const;

/**
 * Converts another tool's file to an eval file next to it, and opens it. Never overwrites a file.
 *
 * @param given the file whose menu was used
 */
export async function importAsEvalFile(
  given: unknown,
  log: vscode.LogOutputChannel,
): Promise<void> {
  const source = await sourceOf(given);
  if (!source) return;
  const text = await textOf(source);
  if (text === undefined) return;
  const imported = await importFile(source.fsPath, text, await placeNextTo(source));
  const paths = await freePaths(source.fsPath, imported.texts.length);
  const files = paths.map((path) => vscode.Uri.file(path));
  const encoder = new TextEncoder();
  for (const [index, file] of files.entries()) {
    await vscode.workspace.fs.writeFile(file, encoder.encode(imported.texts[index]));
  }
  const [first] = files;
  if (first) await vscode.window.showTextDocument(first, { preview: false });
  reportImport(source, paths, imported, log);
}

async function sourceOf(given: unknown): Promise<vscode.Uri | undefined> {
  const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme === 'file' && (given !== undefined || isImportable(uri))) return uri;
  const picked = await vscode.window.showOpenDialog({
    title: 'Import as Eval File',
    openLabel: 'Import',
    filters: { 'Chats, traces, and files of other tools': [...IMPORTABLE] },
  });
  return picked?.[0];
}

function reportImport(
  source: vscode.Uri,
  paths: readonly string[],
  { cases, entries }: Imported,
  log: vscode.LogOutputChannel,
): void {
  for (const entry of entries) {
    const text = visibleLine(`${source.fsPath}:${entry.line}: ${entry.message}`);
    if (entry.broken) log.error(text);
    else log.info(text);
  }
  const broken = entries.find((one) => one.broken);
  const name = vscode.workspace.asRelativePath(source);
  const files = paths.map((path) => vscode.workspace.asRelativePath(path)).join(', ');
  const left = entries.length === 0 ? '' : ` ${counted(entries.length, 'item')} omitted.`;
  const text =
    cases === 0
      ? `Nothing was imported from ${name}. ${broken?.message ?? ''}`
      : `${counted(cases, 'case')} from ${name} in ${files}.${left}`;
  const show = broken ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
  const button = cases === 0 ? 'Show Log' : SHOW;
  void show(noticeText(text), ...(entries.length > 0 ? [button] : [])).then((choice) => {
    if (choice === button) log.show();
  });
}

export function isImportable({ path }: vscode.Uri): boolean {
  return IMPORTABLE.some((ending) => path.endsWith(`.${ending}`));
}

/** The text on the screen: unsaved changes override the file on the disk. */
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

/** `log.eval.yaml`, or the first free name of `log-2.eval.yaml` and so on. */
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
