import * as vscode from 'vscode';
import type { SuiteCase } from '../../core/suite.ts';
import { labelText, noticeText } from '../../core/text/visibleText.ts';
import type { ChosenModel } from '../../evalfile/starter.ts';
import { SECTION, SETTINGS } from '../../protocol/names.ts';
import type { Secrets } from '../secrets.ts';
import { applyEdits, findEvalFiles, inform, isEvalFile, readSuite } from '../workspace.ts';
import { chooseEditorModel, chooseModel } from './chooseModel.ts';

/** Asks for a key that the open file needs, or for any other key. */
export async function setKey(secrets: Secrets): Promise<void> {
  // Testing a key calls its model, which isn't allowed in an untrusted workspace.
  const needed = vscode.workspace.isTrusted ? await neededHere(secrets) : [];
  if (needed.length === 0) {
    await secrets.ask();
    return;
  }
  const items = needed.map((wanted) => ({
    label: wanted.variable,
    description: labelText(`${wanted.isSet ? 'set' : 'not set'}, needed by ${wanted.model.id}`),
    wanted,
  }));
  const another = { label: 'Another Key…', wanted: undefined };
  const picked = await vscode.window.showQuickPick([...items, another], {
    title: 'Turnlight: API key',
    placeHolder: 'Select a key',
    ignoreFocusOut: true,
  });
  if (picked) await secrets.ask(picked.wanted);
}

/**
 * Keys that the active eval file needs. For any other file, finds the keys that are needed by the eval files that use
 * it.
 */
async function neededHere({ keys }: Secrets) {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== 'file') return [];
  const files = isEvalFile(uri) ? [uri] : await findEvalFiles();
  const read = await Promise.all(files.map((uri) => readSuite(uri)));
  const own = read.filter(
    ({ path, dependencies }) => path === uri.fsPath || dependencies.includes(uri.fsPath),
  );
  const { neededKeys } = await import('../../runner/models.ts');
  return neededKeys(
    own.flatMap(({ suite }) => suite?.cases ?? []),
    keys,
  );
}

const SET_KEY = 'Set Key';
const EDITOR = "Use the Editor's Model";
const OTHER = 'Use Another Judge';
const SELECT = 'Select a Judge';

/**
 * Reports a missing key and offers solutions. If the user picks another judge, it replaces the current one in the file
 * or settings.
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
  const text = `${model.id} needs the key ${variable}, which isn't set.`;
  const editor = (await vscode.lm.selectChatModels()).length > 0 ? [EDITOR] : [];
  const buttons = judges ? [SET_KEY, ...editor, OTHER] : [SET_KEY];
  const choice = await vscode.window.showWarningMessage(noticeText(text), ...buttons);
  const ready =
    choice === SET_KEY
      ? await secrets.ask(missing)
      : await replaceJudge(uri, model.id, await choose(choice, secrets));
  if (ready) await again();
}

/** Reports that a file has no judge, and lets the user select one. @param again runs the cases again */
export async function offerJudge(
  uri: vscode.Uri,
  secrets: Secrets,
  again: () => Promise<void>,
): Promise<void> {
  const editor = (await vscode.lm.selectChatModels()).length > 0 ? [EDITOR] : [];
  const text = `${vscode.workspace.asRelativePath(uri)} has no judge for its criteria.`;
  const choice = await vscode.window.showWarningMessage(noticeText(text), SELECT, ...editor);
  const judge = await choose(choice, secrets);
  if (judge && (await changeFile(uri, '', judge))) await again();
}

async function choose(choice: string | undefined, secrets: Secrets) {
  const options = { title: 'Turnlight: Judge', placeHolder: 'Select a judge' };
  if (choice === EDITOR) return chooseEditorModel(options);
  return choice === OTHER || choice === SELECT ? chooseModel(options, secrets) : undefined;
}

/** @returns whether the judge was replaced */
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
  if (await changeFile(uri, from, to)) return true;
  inform(`The judge ${from} is set in another file. Change it there.`);
  return false;
}

/** @returns whether the file contained the judge, or none */
async function changeFile(uri: vscode.Uri, from: string, to: ChosenModel): Promise<boolean> {
  const { changeJudge } = await import('../../evalfile/starter.ts');
  const document = await vscode.workspace.openTextDocument(uri);
  const edits = changeJudge(document.getText(), uri.fsPath, from, to);
  return edits.length > 0 && (await applyEdits(uri, edits)) && document.save();
}
