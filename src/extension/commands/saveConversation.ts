import * as vscode from 'vscode';
import { caseName } from '../../core/presentation/words.ts';
import { noticeText } from '../../core/text/visibleText.ts';
import { type SaveAs, type SavedCase, SaveError, savedCase } from '../../evalfile/savedCase.ts';
import { LatestRuns } from '../../store/records/latest.ts';
import { reveal } from '../locations.ts';
import { readSuite } from '../suites.ts';
import type { CaseLocation } from './caseAtCursor.ts';

interface Choice extends vscode.QuickPickItem {
  readonly as: SaveAs;
}

const CHOICES: readonly Choice[] = [
  {
    label: 'Scripted turns',
    detail: "The user's words. The target answers anew in each run.",
    as: 'turns',
  },
  { label: 'Transcript', detail: 'The whole conversation, judged as it was.', as: 'transcript' },
];

/** Writes the last simulated conversation of a case behind it, as a case of its own, and shows it. */
export async function saveConversation({
  uri,
  id,
  variant,
  repetition = 1,
}: CaseLocation): Promise<void> {
  const suite = await readSuite(uri);
  const runs = await new LatestRuns().find(uri.fsPath, id, { variant });
  const line = runs.find((one) => one.line.repetition === repetition)?.line;
  const found = suite.outline.find((one) => one.id === id);
  if (!line || !found) {
    say(`There is no finished run of ${caseName({ id, variant })}. Run it first.`);
    return;
  }
  const placeHolder = `Save the conversation of ${caseName(line)} as`;
  const picked = await vscode.window.showQuickPick(CHOICES, { placeHolder });
  if (!picked) return;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(found.path));
  let saved: SavedCase;
  try {
    const ids = suite.outline.map((one) => one.id);
    saved = savedCase(document.getText(), found.path, line, picked.as, ids);
  } catch (error) {
    if (!(error instanceof SaveError)) throw error;
    say(error.message);
    return;
  }
  const { line: row, character } = saved.position;
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, new vscode.Position(row, character), saved.newText);
  await vscode.workspace.applyEdit(edit);
  const start = { line: row + 2, character: 0 };
  await reveal(found.path, { start, end: start });
}

function say(message: string): void {
  void vscode.window.showInformationMessage(noticeText(message));
}
