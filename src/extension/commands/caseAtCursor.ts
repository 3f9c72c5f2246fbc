import * as vscode from 'vscode';
import { isEvalFile, readSuite } from '../suites.ts';
import { placeAt } from './placeAt.ts';

export interface CasePlace {
  readonly uri: vscode.Uri;
  readonly id: string;
  readonly turn?: number;
}

/** The case in which the cursor of the active editor stands. Says so where there is none. */
export async function caseAtCursor(): Promise<CasePlace | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !isEvalFile(editor.document.uri)) {
    sayNoEvalFile();
    return undefined;
  }
  const { uri } = editor.document;
  const { line } = editor.selection.active;
  const place = placeAt(await readSuite(uri), line);
  if (place) return { uri, ...place };
  void vscode.window.showInformationMessage('Put the cursor into a case that has an id first.');
  return undefined;
}

export function sayNoEvalFile(): void {
  const message = 'Open an eval file first: a file on the disk whose name ends in .eval.yaml.';
  void vscode.window.showInformationMessage(message);
}
