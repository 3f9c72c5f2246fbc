import { posix } from 'node:path';
import * as vscode from 'vscode';
import { noticeText } from '../../core/text/visibleText.ts';
import { evalFileName, looksLikeEvalFile } from '../../evalfile/evalFilePath.ts';
import { exists, reportError } from '../workspace.ts';

const RENAME = 'Rename';
const DONT_ASK = "Don't Ask Again";
const DECLINED_KEY = 'namesLeft';

/** Offers to rename a YAML file that looks like an eval file but, because of its name, can't run as one. */
export function offerRenames(state: vscode.Memento): vscode.Disposable {
  const asked = new Set(state.get<string[]>(DECLINED_KEY, []));
  const offer = async (document: vscode.TextDocument) => {
    const { uri, languageId } = document;
    const key = uri.toString();
    if (languageId !== 'yaml' || uri.scheme !== 'file' || asked.has(key)) return;
    if (!looksLikeEvalFile(document.getText())) return;
    asked.add(key);
    const name = posix.basename(uri.path);
    const renamed = evalFileName(name);
    const text = `${name} looks like an eval file. Rename it to ${renamed} to run it and get editing features.`;
    const choice = await vscode.window.showInformationMessage(noticeText(text), RENAME, DONT_ASK);
    if (choice === DONT_ASK)
      await state.update(DECLINED_KEY, [...state.get<string[]>(DECLINED_KEY, []), key]);
    if (choice === RENAME) await rename(uri, vscode.Uri.joinPath(uri, '..', renamed));
  };
  vscode.workspace.textDocuments.forEach(offer);
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(offer),
    vscode.workspace.onDidSaveTextDocument(offer),
  );
}

async function rename(from: vscode.Uri, to: vscode.Uri): Promise<void> {
  if (await exists(to)) {
    reportError(`${posix.basename(to.path)} already exists. Rename the file manually.`);
    return;
  }
  const edit = new vscode.WorkspaceEdit();
  edit.renameFile(from, to);
  if (await vscode.workspace.applyEdit(edit)) await vscode.window.showTextDocument(to);
}
