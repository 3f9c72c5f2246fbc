import * as vscode from 'vscode';
import { isEvalFile, readSuite } from '../suites.ts';
import { caseOnLine } from './caseOnLine.ts';

const NEW = 'New Eval File';

export interface CaseLocation {
  readonly uri: vscode.Uri;
  readonly id: string;
  /** Which of its conversations, where the case stands for several. */
  readonly variant?: string | undefined;
  /** From 1. */
  readonly repetition?: number | undefined;
  readonly turn?: number | undefined;
}

/** The case in which the cursor of the active editor stands. Says so if there is none. */
export async function caseAtCursor(): Promise<CaseLocation | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !isEvalFile(editor.document.uri)) {
    sayNoEvalFile();
    return undefined;
  }
  const { uri } = editor.document;
  const { line } = editor.selection.active;
  const location = caseOnLine(await readSuite(uri), line);
  if (location) return { uri, ...location };
  void vscode.window.showInformationMessage('Put the cursor in a case that has an id first.');
  return undefined;
}

export function sayNoEvalFile(): void {
  const message = 'Open an eval file first: a saved file whose name ends in .eval.yaml.';
  void vscode.window.showInformationMessage(message, NEW).then((choice) => {
    if (choice === NEW) return vscode.commands.executeCommand('turnlight.newEvalFile');
    return undefined;
  });
}
