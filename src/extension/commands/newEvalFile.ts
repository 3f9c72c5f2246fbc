import * as vscode from 'vscode';
import { LANGUAGE_ID } from '../../protocol/settings.ts';
import { STARTER } from './starter.ts';

export async function newEvalFile(): Promise<void> {
  const document = await vscode.workspace.openTextDocument({
    language: LANGUAGE_ID,
    content: STARTER,
  });
  await vscode.window.showTextDocument(document);
}
