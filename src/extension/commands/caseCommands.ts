import * as vscode from 'vscode';
import { isMapping } from '../../core/data/data.ts';
import { labelText } from '../../core/text/visibleText.ts';
import type { PageParts } from '../pages/webviewPage.ts';
import type { Secrets } from '../secrets.ts';
import type { TestRunner } from '../testing/runner.ts';
import type { TestTree } from '../testing/tree.ts';
import { inform, isEvalFile, mayRun, offerCommand, readSuite, reportError } from '../workspace.ts';
import { type CaseLocation, caseOnLine } from './caseLocation.ts';

interface RunParts {
  readonly tree: TestTree;
  readonly runner: TestRunner;
}

type CommandArguments = readonly unknown[];

export async function runCase(given: CommandArguments, parts: RunParts): Promise<void> {
  const location = await locationOf(given, parts.tree);
  if (location) await run(parts, location.uri, location);
}

export async function runFile([file]: CommandArguments, parts: RunParts): Promise<void> {
  const uri = evalFileOf(file ?? vscode.window.activeTextEditor?.document.uri);
  if (uri) await run(parts, uri);
  else reportNoEvalFile();
}

export async function openCase(
  given: CommandArguments,
  parts: RunParts & PageParts,
): Promise<void> {
  const chosen = await chosenCase(given, parts);
  if (!chosen) return;
  const { openConversation } = await import('../viewer/conversationPage.ts');
  openConversation(chosen, parts);
}

export async function saveCase(given: CommandArguments, parts: RunParts): Promise<void> {
  const chosen = await chosenCase(given, parts);
  if (!chosen) return;
  const { saveConversation } = await import('./lastRuns.ts');
  await saveConversation(chosen);
}

/** Talks to the target of a case, or to one that a code lens names. Otherwise, asks for a target. */
export async function talk(
  given: CommandArguments,
  parts: RunParts & PageParts & { readonly secrets: Secrets },
): Promise<void> {
  if (!mayRun()) return;
  const [first, second] = given;
  const isCase = typeof second === 'string' || isTestItem(first);
  const from = isCase
    ? await chosenCase(given, parts)
    : { uri: evalFileOf(first), ...(isMapping(second) && { target: second.target }) };
  if (!from) return;
  const { openTalk } = await import('../talk/talkPage.ts');
  await openTalk(from, parts, parts.secrets);
}

/** Judges a recorded conversation again. The last argument is the path of the record. */
export async function judgeCase(given: CommandArguments, parts: RunParts): Promise<void> {
  const chosen = await chosenCase(given.slice(0, 3), parts);
  if (!chosen || !mayRun()) return;
  const { judgeAgain } = await import('./lastRuns.ts');
  await judgeAgain(chosen, given[3], parts.tree, parts.runner);
}

async function run(
  { tree, runner }: RunParts,
  uri: vscode.Uri,
  given?: CaseLocation,
): Promise<void> {
  if (!mayRun()) return;
  await tree.refresh(uri);
  const item = tree.find(uri, given && { id: given.id, variant: given.variant });
  if (item) {
    await runner.run(new vscode.TestRunRequest([item]));
    return;
  }
  const name = vscode.workspace.asRelativePath(uri);
  reportError(given ? `There is no case "${given.id}" in ${name}.` : `There is no file ${name}.`);
}

/** If the case has several conversations, asks which one to use. Those that didn't pass are listed first. */
async function chosenCase(
  given: CommandArguments,
  { tree }: RunParts,
): Promise<CaseLocation | undefined> {
  const location = await locationOf(given, tree);
  if (!location || location.variant !== undefined) return location;
  const { uri, id } = location;
  const { suite } = await readSuite(uri);
  const expand = suite?.cases.find((one) => one.id === id)?.expand;
  if (!expand) return location;
  const { pickVariant } = await import('./lastRuns.ts');
  const variant = await pickVariant(uri, id, await expand());
  return variant === undefined ? undefined : { ...location, variant };
}

/**
 * Arguments come from a code lens (URI, id), a view (also variant and repetition), or the Testing panel (an item).
 * Without arguments, uses the case at the cursor.
 */
async function locationOf(
  [first, id, variant, repetition]: CommandArguments,
  tree: TestTree,
): Promise<CaseLocation | undefined> {
  const uri = evalFileOf(first);
  if (uri && typeof id === 'string') {
    return {
      uri,
      id,
      variant: typeof variant === 'string' ? variant : undefined,
      repetition: typeof repetition === 'number' ? repetition : undefined,
    };
  }
  const data = isTestItem(first) ? tree.dataOf(first) : undefined;
  if (!data) return caseAtCursor();
  if (data.kind === 'file') return pickCase(data.uri);
  return data.kind === 'repetition' ? data : { uri: data.uri, id: data.id, variant: data.variant };
}

async function pickCase(uri: vscode.Uri): Promise<CaseLocation | undefined> {
  const { outline } = await readSuite(uri);
  const cases = outline.flatMap(({ id }) =>
    id === undefined ? [] : [{ label: labelText(id), id }],
  );
  const picked = await vscode.window.showQuickPick(cases, { placeHolder: 'Select a case' });
  return picked && { uri, id: picked.id };
}

/** Any extension can run the command, so only eval files on disk are accepted. */
function evalFileOf(value: unknown): vscode.Uri | undefined {
  const uri = typeof value === 'string' ? vscode.Uri.parse(value) : value;
  return uri instanceof vscode.Uri && isEvalFile(uri) ? uri : undefined;
}

function isTestItem(value: unknown): value is vscode.TestItem {
  return typeof value === 'object' && value !== null && 'children' in value && 'busy' in value;
}

/** The case at the cursor in the active editor. If there is none, shows a notification. */
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
  inform('First put the cursor in a case that has an id.');
  return undefined;
}

function reportNoEvalFile(): void {
  const message = 'Open an eval file first: a saved file whose name ends in .eval.yaml.';
  const shown = vscode.window.showInformationMessage(message, 'New Eval File');
  void offerCommand(shown, 'turnlight.newEvalFile');
}
