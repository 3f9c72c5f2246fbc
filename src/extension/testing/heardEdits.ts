import * as vscode from 'vscode';
import type { Edit } from './movedLines.ts';

/** @param edits grows with all that is typed from now on */
export function hearEdits(edits: Edit[]): vscode.Disposable {
  return vscode.workspace.onDidChangeTextDocument(({ document: { uri }, contentChanges }) => {
    for (const { range, text } of contentChanges) edits.push({ path: uri.fsPath, range, text });
  });
}
