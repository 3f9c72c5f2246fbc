import * as vscode from 'vscode';
import { labelText, noticeText } from '../../core/text/visibleText.ts';
import type { PageParts } from '../pages/webviewPage.ts';
import type { ItemData } from '../testing/repetitions.ts';
import type { TestRunner } from '../testing/runner.ts';
import type { TestTree } from '../testing/tree.ts';
import { inform, isEvalFile, mayRun, readSuite } from '../workspace.ts';
import { type CaseLocation, caseOnLine } from './caseLocation.ts';

export interface RunParts {
  readonly tree: TestTree;
  readonly runner: TestRunner;
}

type Given = readonly unknown[];

export async function runCase(given: Given, parts: RunParts): Promise<void> {
  const location = await locationOf(given, parts.tree);
  if (location) await run(parts, location.uri, location.id, location.variant);
}

export async function runFile([file]: Given, parts: RunParts): Promise<void> {
  const uri = evalFileOf(file ?? vscode.window.activeTextEditor?.document.uri);
  if (uri) await run(parts, uri);
  else reportNoEvalFile();
}

export async function openCase(given: Given, parts: RunParts & PageParts): Promise<void> {
  const chosen = await chosenCase(given, parts);
  if (!chosen) return;
  const { openConversation } = await import('../viewer/conversationPage.ts');
  openConversation(chosen, parts);
}

export async function saveCase(given: Given, parts: RunParts): Promise<void> {
  const chosen = await chosenCase(given, parts);
  if (!chosen) return;
  const { saveConversation } = await import('./lastRuns.ts');
  await saveConversation(chosen);
}

/** Judges a recorded conversation again. The last argument is the path of its record. */
export async function judgeCase(given: Given, parts: RunParts): Promise<void> {
  const chosen = await chosenCase(given.slice(0, 3), parts);
  if (!chosen || !mayRun()) return;
  const { judgeAgain } = await import('./lastRuns.ts');
  await judgeAgain(chosen, given[3], parts.tree, parts.runner);
}

async function run(
  { tree, runner }: RunParts,
  uri: vscode.Uri,
  id?: string,
  variant?: string,
): Promise<void> {
  if (!mayRun()) return;
  await tree.refresh(uri);
  const item = tree.find(uri, id, undefined, variant);
  if (item) await runner.run(new vscode.TestRunRequest([item]));
  else void vscode.window.showErrorMessage(noticeText(missingText(uri, id)));
}

async function chosenCase(given: Given, { tree }: RunParts): Promise<CaseLocation | undefined> {
  const location = await locationOf(given, tree);
  return location && withVariant(location);
}

/**
 * Arguments come from a code lens (URI, id), a view (with variant and repetition), or the Testing panel (an item).
 * Without any, the cursor counts.
 */
async function locationOf(
  [first, id, variant, repetition]: readonly unknown[],
  tree: TestTree,
): Promise<CaseLocation | undefined> {
  const uri = evalFileOf(first);
  if (uri && typeof id === 'string') {
    return {
      uri,
      id,
      ...(typeof variant === 'string' && { variant }),
      ...(typeof repetition === 'number' && { repetition }),
    };
  }
  const data = isTestItem(first) ? tree.dataOf(first) : undefined;
  if (data?.kind === 'file') return pickCase(data.uri);
  return data ? locationOfItem(data) : caseAtCursor();
}

async function pickCase(uri: vscode.Uri): Promise<CaseLocation | undefined> {
  const { outline } = await readSuite(uri);
  const cases = outline.flatMap(({ id }) =>
    id === undefined ? [] : [{ label: labelText(id), id }],
  );
  const picked = await vscode.window.showQuickPick(cases, { placeHolder: 'Select a case' });
  return picked && { uri, id: picked.id };
}

/** If a case has several conversations, asks which one; those that did not pass come first. */
async function withVariant(location: CaseLocation): Promise<CaseLocation | undefined> {
  const { uri, id, variant } = location;
  const { suite } = await readSuite(uri);
  const expand = suite?.cases.find((one) => one.id === id)?.expand;
  if (variant !== undefined || !expand) return location;
  const { pickVariant } = await import('./lastRuns.ts');
  const picked = await pickVariant(uri, id, await expand());
  return picked === undefined ? undefined : { ...location, variant: picked };
}

function missingText(uri: vscode.Uri, id: string | undefined): string {
  const name = vscode.workspace.asRelativePath(uri);
  return id === undefined ? `There is no file ${name}.` : `There is no case "${id}" in ${name}.`;
}

function locationOfItem(data: Exclude<ItemData, { kind: 'file' }>) {
  const { uri, id, variant } = data;
  return {
    uri,
    id,
    ...(variant !== undefined && { variant }),
    ...(data.kind === 'repetition' && { repetition: data.repetition }),
  };
}

/** Any extension can run the command: accepts only eval files on the disk. */
function evalFileOf(value: unknown): vscode.Uri | undefined {
  const uri = typeof value === 'string' ? vscode.Uri.parse(value) : value;
  return uri instanceof vscode.Uri && isEvalFile(uri) ? uri : undefined;
}

function isTestItem(value: unknown): value is vscode.TestItem {
  return typeof value === 'object' && value !== null && 'children' in value && 'busy' in value;
}

const NEW = 'New Eval File';

/** The case at the cursor of the active editor. Shows a notification if there is none. */
async function caseAtCursor(): Promise<CaseLocation | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !isEvalFile(editor.document.uri)) {
    reportNoEvalFile();
    return undefined;
  }
  const { uri } = editor.document;
  const { line } = editor.selection.active;
  const location = caseOnLine(await readSuite(uri), line);
  if (location) return { uri, ...location };
  inform('Put the cursor in a case that has an id first.');
  return undefined;
}

function reportNoEvalFile(): void {
  const message = 'Open an eval file first: a saved file whose name ends in .eval.yaml.';
  void vscode.window.showInformationMessage(message, NEW).then((choice) => {
    if (choice === NEW) return vscode.commands.executeCommand('turnlight.newEvalFile');
    return undefined;
  });
}
