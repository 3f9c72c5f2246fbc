import * as vscode from 'vscode';
import { isEvalFile, readSuite } from '../suites.ts';

export interface CasePlace {
  readonly uri: vscode.Uri;
  readonly id: string;
  /** The turn under the cursor; of a scripted user turn, the reply to it. */
  readonly turn?: number;
}

/** The case in which the cursor of the active editor stands. Says so where there is none. */
export async function caseAtCursor(): Promise<CasePlace | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !isEvalFile(editor.document.uri)) {
    void vscode.window.showInformationMessage('Open an eval file (*.eval.yaml) first.');
    return undefined;
  }
  const { uri } = editor.document;
  const { line } = editor.selection.active;
  const holds = ({ start, end }: { start: { line: number }; end: { line: number } }) =>
    start.line <= line && line <= end.line;
  const { outline } = await readSuite(uri);
  const found = outline.find(({ path, range }) => path === uri.fsPath && holds(range));
  if (found?.id === undefined) {
    void vscode.window.showInformationMessage('Put the cursor into a case first.');
    return undefined;
  }
  const turn = found.turns.find(({ range }) => holds(range))?.turns.at(-1);
  return { uri, id: found.id, ...(turn !== undefined && { turn }) };
}
