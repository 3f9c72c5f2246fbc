import * as vscode from 'vscode';
import { errorText, ReasonedError } from '../../core/errors.ts';
import { visibleLog } from '../../core/logger.ts';
import { Scrubber } from '../../core/scrubber.ts';
import { counted } from '../../core/text/format.ts';
import { noticeText } from '../../core/text/visibleText.ts';
import { nodeFiles } from '../../evalfile/nodeFiles.ts';
import type { ChosenModel } from '../../evalfile/starter.ts';
import { type Generated, generateFile } from '../../interop/generateFile.ts';
import { withModel } from '../../runner/oneModel.ts';
import { allowedHosts } from '../allowedHosts.ts';
import { chooseModel } from '../lm/chooseModel.ts';
import { editorModels } from '../lm/editorModels.ts';
import { workspaceOf } from '../locations.ts';
import type { Secrets } from '../secrets.ts';
import { freePaths, isImportable, textOf } from './givenFile.ts';

const TITLE = 'Generate Cases';

const COUNT = 5;

/**
 * Lets a model draft cases from a system prompt, or from the conversations of a log, and opens them in
 * a new eval file beside it.
 *
 * @param given the file that a menu was opened on
 */
export async function generateCases(
  given: unknown,
  secrets: Secrets,
  log: vscode.LogOutputChannel,
): Promise<void> {
  const source = given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
  if (source?.scheme !== 'file') {
    const text = 'Open the system prompt of what is tested, or a log of conversations, first.';
    void vscode.window.showInformationMessage(text);
    return;
  }
  const text = await textOf(source);
  const chosen =
    text === undefined
      ? undefined
      : await chooseModel({ title: TITLE, placeHolder: 'Which model drafts?' }, secrets);
  if (text === undefined || !chosen) return;
  const [path = ''] = await freePaths(source.fsPath, 1);
  try {
    const made = await drafted({ source, text, path, chosen }, secrets, log);
    if (made) await open(path, made);
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
    void vscode.window.showErrorMessage(noticeText(errorText(error)));
  }
}

interface Order {
  readonly source: vscode.Uri;
  readonly text: string;
  readonly path: string;
  readonly chosen: ChosenModel;
}

/** Undefined if it was cancelled. */
function drafted(
  { source, text, path, chosen }: Order,
  secrets: Secrets,
  log: vscode.LogOutputChannel,
): Thenable<Generated | undefined> {
  const title = noticeText(`${chosen.id} drafts cases …`);
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (_, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    const host = {
      ...secrets.keys,
      allowedHosts: await allowedHosts(),
      scrubber: new Scrubber(process.env),
      log: visibleLog(log),
      editorModels,
    };
    const place = {
      path,
      workspace: workspaceOf(source),
      files: nodeFiles(),
      env: (name: string) => process.env[name],
    };
    const file = { path: source.fsPath, text };
    const sources = isImportable(source)
      ? { conversations: [file] }
      : { system: file, conversations: [] };
    const wanted = { count: COUNT, judge: chosen };
    const asked = { name: chosen.id, baseUrl: chosen.baseUrl };
    try {
      return await withModel(asked, host, (model) =>
        generateFile(sources, model, wanted, place, abort.signal),
      );
    } catch (error) {
      if (abort.signal.aborted) return undefined;
      throw error;
    }
  });
}

async function open(path: string, { text, cases, entries }: Generated): Promise<void> {
  if (cases === 0) {
    const why = entries.find(({ broken }) => broken)?.message ?? '';
    void vscode.window.showWarningMessage(noticeText(`No cases were drafted. ${why}`));
    return;
  }
  const file = vscode.Uri.file(path);
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
  await vscode.window.showTextDocument(file, { preview: false });
  const name = vscode.workspace.asRelativePath(file);
  const words = `${counted(cases, 'drafted case')} in ${name}. Read and edit every line before you trust it.`;
  void vscode.window.showInformationMessage(noticeText(words));
}
