import * as vscode from 'vscode';
import { firstFree } from '../core/data/data.ts';
import type { Range } from '../core/problem.ts';
import type { HasCase } from '../core/record/label.ts';
import { noticeText, promptText } from '../core/text/visibleText.ts';
import type { Files } from '../evalfile/files.ts';
import type { LoadedSuite } from '../evalfile/loadedSuite.ts';
import { EVAL_GLOB, isEvalFile as isEvalFileName } from '../node/paths.ts';
import { SECTION, SETTINGS } from '../protocol/names.ts';
import type { PlacedFile } from '../store/dataFolder.ts';

export const EXCLUDED = '**/node_modules/**';

export function isEvalFile(uri: vscode.Uri): boolean {
  return uri.scheme === 'file' && isEvalFileName(uri.path);
}

export async function findEvalFiles(): Promise<vscode.Uri[]> {
  return vscode.workspace.findFiles(EVAL_GLOB, EXCLUDED);
}

/**
 * Reads an eval file and the files that it refers to, including unsaved changes.
 *
 * @param files default: `filesOnScreen`
 */
export async function readSuite(uri: vscode.Uri, files?: Files): Promise<LoadedSuite> {
  const { loadSuite } = await import('../evalfile/load.ts');
  const judge = vscode.workspace.getConfiguration(SECTION, uri).get<string>(SETTINGS.judge);
  const defaultJudge = judge || process.env.TURNLIGHT_JUDGE;
  return loadSuite(uri.fsPath, files ?? (await filesOnScreen()), {
    workspace: workspaceOf(uri),
    env,
    ...(defaultJudge && { defaultJudge }),
  });
}

/** Reads an eval file's cases. @param file absolute path @returns undefined if it has errors */
export async function readCases(file: string): Promise<HasCase | undefined> {
  return casesIn(await readSuite(vscode.Uri.file(file)));
}

/** The cases of an eval file, including variants. @returns undefined if it has errors */
export async function casesIn(loaded: LoadedSuite): Promise<HasCase | undefined> {
  const [{ expandSuite }, { hasCaseOf }] = await Promise.all([
    import('../evalfile/loadedSuite.ts'),
    import('../core/record/label.ts'),
  ]);
  const { suite } = await expandSuite(loaded);
  return suite && hasCaseOf(suite.cases);
}

/** The files, with unsaved changes overriding the files on disk. */
export async function filesOnScreen(): Promise<Files> {
  const [{ nodeFiles }, { overlayFiles }] = await Promise.all([
    import('../evalfile/nodeFiles.ts'),
    import('../evalfile/files.ts'),
  ]);
  const { textDocuments } = vscode.workspace;
  const unsaved = textDocuments.filter(({ isDirty, uri }) => isDirty && uri.scheme === 'file');
  const texts = new Map(unsaved.map((document) => [document.uri.fsPath, document.getText()]));
  return overlayFiles(nodeFiles(), (path) => texts.get(path));
}

export function toRange({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** The folder that paths in a file may not leave: its workspace folder, or else the file's own folder. */
export function workspaceOf(uri: vscode.Uri): string {
  const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri ?? vscode.Uri.joinPath(uri, '..');
  return folder.fsPath;
}

/** Moves the cursor to the start of a range and reveals it. */
export async function reveal(path: string, range: Range): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
  const open = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
  const editor = await vscode.window.showTextDocument(document, {
    viewColumn: open?.viewColumn ?? vscode.ViewColumn.One,
  });
  const { start } = toRange(range);
  // Not the whole range, because revealing a long line would scroll to its end.
  editor.selection = new vscode.Selection(start, start);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** @returns whether VS Code applied the edits */
export async function applyEdits(
  uri: vscode.Uri,
  edits: readonly { readonly range: Range; readonly newText: string }[],
): Promise<boolean> {
  const change = new vscode.WorkspaceEdit();
  for (const { range, newText } of edits) change.replace(uri, toRange(range), newText);
  return vscode.workspace.applyEdit(change);
}

export function inform(text: string): void {
  void vscode.window.showInformationMessage(noticeText(text));
}

export function warn(text: string): void {
  void vscode.window.showWarningMessage(noticeText(text));
}

export function reportError(text: string): void {
  void vscode.window.showErrorMessage(noticeText(text));
}

type Validate = NonNullable<vscode.InputBoxOptions['validateInput']>;

/** Asks for text. Prompts and messages can quote files, so they are shown as plain text. */
export async function askText({
  prompt,
  validateInput,
  ...options
}: vscode.InputBoxOptions): Promise<string | undefined> {
  const validate = async (...given: Parameters<Validate>) => {
    const found = await validateInput?.(...given);
    if (typeof found !== 'object' || found === null) return found && promptText(found);
    return { ...found, message: promptText(found.message) };
  };
  return vscode.window.showInputBox({
    ...options,
    ...(prompt !== undefined && { prompt: promptText(prompt) }),
    ...(validateInput && { validateInput: validate }),
  });
}

/** Shows a notification with a button that runs a command. */
export async function offerCommand(
  shown: Thenable<string | undefined>,
  command: string,
): Promise<void> {
  if ((await shown) !== undefined) await vscode.commands.executeCommand(command);
}

export const env = (name: string) => process.env[name];

export function placedFile(uri: vscode.Uri): PlacedFile {
  return { path: uri.fsPath, workspace: workspaceOf(uri) };
}

const UNTRUSTED =
  'Running evals starts programs from this workspace, so the workspace must be trusted. Editing features work without trust.';

/** @param why the sentence to show if the workspace isn't trusted @returns whether running is allowed */
export function mayRun(why = UNTRUSTED): boolean {
  if (vscode.workspace.isTrusted) return true;
  const shown = vscode.window.showErrorMessage(why, 'Manage Workspace Trust');
  void offerCommand(shown, 'workbench.trust.manage');
  return false;
}

/** The folder for new files. If no folder is open, offers to open one. */
export async function workspaceFolder(): Promise<vscode.Uri | undefined> {
  const [first, ...others] = vscode.workspace.workspaceFolders ?? [];
  if (first && others.length === 0) return first.uri;
  if (first) return (await vscode.window.showWorkspaceFolderPick())?.uri;
  const text = 'Eval files are stored in a folder next to your code. Open the folder first.';
  const shown = vscode.window.showInformationMessage(text, 'Open Folder');
  await offerCommand(shown, 'vscode.openFolder');
  return undefined;
}

export async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

/** Writes a file, if `mayWrite`. @returns whether it was written */
export async function writeFile(uri: vscode.Uri, text: string): Promise<boolean> {
  if (!(await mayWrite(uri))) return false;
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  return true;
}

/** Whether no link on the way to a file leads out of its checkout. If one does, says so. */
export async function mayWrite(uri: vscode.Uri): Promise<boolean> {
  const { leftThroughLink } = await import('../store/dataFolder.ts');
  const left = leftThroughLink(uri.fsPath, workspaceOf(uri));
  if (left === undefined) return true;
  const name = vscode.workspace.asRelativePath(uri);
  reportError(
    `${name} is reached through a link that points outside ${left}. Remove the link, or choose another folder.`,
  );
  return false;
}

/** What is needed to check an eval file's text before it is written. */
export async function placeOf(uri: vscode.Uri) {
  return { path: uri.fsPath, workspace: workspaceOf(uri), files: await filesOnScreen(), env };
}

/** A path for a new eval file: `STEM.eval.yaml`, `STEM-2.eval.yaml`, and so on. */
export async function freeEvalFile(folder: vscode.Uri, stem: string): Promise<vscode.Uri> {
  const there = (await exists(folder)) ? await vscode.workspace.fs.readDirectory(folder) : [];
  const taken = new Set(there.map(([name]) => name));
  const nameOf = (number: number) => `${stem}${number === 1 ? '' : `-${number}`}.eval.yaml`;
  const name = firstFree(nameOf, (one) => taken.has(one));
  return vscode.Uri.joinPath(folder, name);
}
