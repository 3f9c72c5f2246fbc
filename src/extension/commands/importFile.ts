import * as vscode from 'vscode';
import { counted } from '../../core/text/format.ts';
import { noticeText, visibleLine } from '../../core/text/visibleText.ts';
import { nodeFiles } from '../../evalfile/nodeFiles.ts';
import { type Imported, importFile } from '../../interop/importFile.ts';
import { workspaceOf } from '../locations.ts';
import { freePaths, IMPORTABLE, isImportable, nameOf, textOf } from './givenFile.ts';

const SHOW = 'Show What Was Left Out';

const KINDS = { 'Chats, traces and files of other tools': [...IMPORTABLE] };

/**
 * Makes an eval file of another tool's file, beside it, and opens it. Nothing is written over.
 *
 * @param given the file that a menu was opened on
 */
export async function importAsEvalFile(
  given: unknown,
  log: vscode.LogOutputChannel,
): Promise<void> {
  const source = await sourceOf(given);
  if (!source) return;
  const text = await textOf(source);
  if (text === undefined) return;
  const [first = ''] = await freePaths(source.fsPath, 1);
  const imported = await importFile(source.fsPath, text, {
    path: first,
    workspace: workspaceOf(source),
    files: nodeFiles(),
    env: (name) => process.env[name],
  });
  const paths = await freePaths(source.fsPath, imported.texts.length);
  const encoder = new TextEncoder();
  for (const [index, path] of paths.entries()) {
    const written = encoder.encode(imported.texts[index]);
    await vscode.workspace.fs.writeFile(vscode.Uri.file(path), written);
  }
  const [opened] = paths;
  if (opened !== undefined) {
    await vscode.window.showTextDocument(vscode.Uri.file(opened), { preview: false });
  }
  tell(source, paths, imported, log);
}

async function sourceOf(given: unknown): Promise<vscode.Uri | undefined> {
  const uri = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme === 'file' && (given !== undefined || isImportable(uri))) return uri;
  const picked = await vscode.window.showOpenDialog({
    title: 'Import as Eval File',
    openLabel: 'Import',
    filters: KINDS,
  });
  return picked?.[0];
}

function tell(
  source: vscode.Uri,
  paths: readonly string[],
  { cases, entries }: Imported,
  log: vscode.LogOutputChannel,
): void {
  for (const { line, message, broken } of entries) {
    const text = visibleLine(`${source.fsPath}:${line}: ${message}`);
    if (broken) log.error(text);
    else log.info(text);
  }
  const broken = entries.filter((one) => one.broken);
  const name = nameOf(source);
  const files = paths.map((path) => vscode.workspace.asRelativePath(path)).join(', ');
  const left = entries.length === 0 ? '' : ` ${counted(entries.length, 'thing')} left out.`;
  const [first] = broken;
  const text =
    cases === 0
      ? `Nothing was imported from ${name}. ${first?.message ?? ''}`
      : `${counted(cases, 'case')} from ${name} in ${files}.${left}`;
  const show =
    broken.length > 0 ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
  const button = cases === 0 ? 'Show Log' : SHOW;
  void show(noticeText(text), ...(entries.length > 0 ? [button] : [])).then((choice) => {
    if (choice === button) log.show();
  });
}
