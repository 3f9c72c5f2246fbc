import * as vscode from 'vscode';
import type { Range } from '../core/problem.ts';
import type { PlacedFile } from '../store/dataFolder.ts';

/** A range of ours as VS Code's. */
export function toRange({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** The folder that a file's paths may not leave: its workspace folder, else the file's own. */
export function workspaceOf(uri: vscode.Uri): string {
  const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri ?? vscode.Uri.joinPath(uri, '..');
  return folder.fsPath;
}

/** Reveals a location in an editor and puts the cursor there. */
export async function reveal(path: string, range: Range): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
  const open = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
  const editor = await vscode.window.showTextDocument(document, {
    viewColumn: open?.viewColumn ?? vscode.ViewColumn.One,
  });
  const { start } = toRange(range);
  editor.selection = new vscode.Selection(start, start);
  // The rest of a long line would be scrolled to, out of sight of its beginning.
  const seen = new vscode.Range(start, start);
  editor.revealRange(seen, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** An eval file on disk, with its workspace. */
export function placedFile(uri: vscode.Uri): PlacedFile {
  return { path: uri.fsPath, workspace: workspaceOf(uri) };
}
