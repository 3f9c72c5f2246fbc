import * as vscode from 'vscode';
import type { SuiteCase } from '../../core/suite.ts';
import { noticeText } from '../../core/text/visibleText.ts';
import type { ChosenModel } from '../../evalfile/starter.ts';
import { SECTION, SETTINGS } from '../../protocol/names.ts';
import { toRange } from '../locations.ts';
import type { Secrets } from '../secrets.ts';
import { chooseEditorModel, chooseModel } from './chooseModel.ts';

const SET_KEY = 'Set Key';
const EDITOR = "Use the Editor's Model";
const OTHER = 'Use Another Judge';

/**
 * Says which key the cases of a run lack, and offers what leads to a verdict. Another judge is
 * written where the present one stands: in the file, else in the settings.
 *
 * @param again runs the cases again
 */
export async function offerKey(
  uri: vscode.Uri,
  cases: readonly SuiteCase[],
  secrets: Secrets,
  again: () => Promise<void>,
): Promise<void> {
  const { missingKeys } = await import('../../runner/models.ts');
  const [missing] = await missingKeys(cases, secrets.keys);
  if (!missing) return;
  const { model, variable, judges } = missing;
  const text = `${model.id} needs the key ${variable}, and none is set.`;
  const editor = (await vscode.lm.selectChatModels()).length > 0 ? [EDITOR] : [];
  const buttons = judges ? [SET_KEY, ...editor, OTHER] : [SET_KEY];
  const choice = await vscode.window.showWarningMessage(noticeText(text), ...buttons);
  const ready =
    choice === SET_KEY
      ? await secrets.ask(missing)
      : await replaceJudge(uri, model.id, await choose(choice, secrets));
  if (ready) await again();
}

async function choose(choice: string | undefined, secrets: Secrets) {
  const options = { title: 'Turnlight: Judge', placeHolder: 'Which model judges?' };
  if (choice === EDITOR) return chooseEditorModel(options);
  return choice === OTHER ? chooseModel(options, secrets) : undefined;
}

/** @returns whether there is another judge now */
async function replaceJudge(
  uri: vscode.Uri,
  from: string,
  to: ChosenModel | undefined,
): Promise<boolean> {
  if (!to) return false;
  const settings = vscode.workspace.getConfiguration(SECTION, uri);
  if (settings.get<string>(SETTINGS.judge) === from && to.baseUrl === undefined) {
    await settings.update(SETTINGS.judge, to.id);
    return true;
  }
  const { changeJudge } = await import('../../evalfile/starter.ts');
  const document = await vscode.workspace.openTextDocument(uri);
  const edits = changeJudge(document.getText(), uri.fsPath, from, to);
  if (edits.length === 0) {
    const words = `The judge ${from} is named by another file. Change it there.`;
    void vscode.window.showInformationMessage(noticeText(words));
    return false;
  }
  const change = new vscode.WorkspaceEdit();
  for (const { range, newText } of edits) change.replace(uri, toRange(range), newText);
  return (await vscode.workspace.applyEdit(change)) && document.save();
}
