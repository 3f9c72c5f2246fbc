import * as vscode from 'vscode';
import { labelText, noticeText } from '../../core/presentation/editorText.ts';
import { COMMANDS } from '../../protocol/serverProtocol.ts';
import { JUDGE_REQUEST } from '../../protocol/settings.ts';
import type { LanguageSupport } from '../languageClient.ts';
import { isListed } from '../runs/runCommands.ts';
import type { Secrets } from '../secrets.ts';
import { isEvalFile, readSuite } from '../suites.ts';
import type { ItemData } from '../testing/itemData.ts';
import type { TestRunner } from '../testing/runner.ts';
import type { TestTree } from '../testing/tree.ts';
import { mayRun } from '../trust.ts';
import { type CaseLocation, caseAtCursor, sayNoEvalFile } from './caseAtCursor.ts';

export interface CommandParts {
  readonly tree: TestTree;
  readonly runner: TestRunner;
  readonly secrets: Secrets;
  readonly language: LanguageSupport;
  readonly log: vscode.LogOutputChannel;
  /** The folder of the extension. */
  readonly extensionUri: vscode.Uri;
  readonly open: (location: CaseLocation & { readonly repetition?: number }) => Promise<void>;
  /** @param records of the run to resume, absolute; those of the last one by default */
  readonly resume: (records?: readonly string[]) => Promise<void>;
}

/** Every command of the extension. */
export function registerCommands(parts: CommandParts): vscode.Disposable[] {
  const { tree, runner, secrets, language, log, extensionUri, open, resume } = parts;
  const register = vscode.commands.registerCommand;

  const run = async (uri: vscode.Uri, id?: string, variant?: string) => {
    if (!mayRun()) return;
    await tree.refresh(uri);
    const item = tree.find(uri, id, undefined, variant);
    if (item) await runner.run(new vscode.TestRunRequest([item]));
    else void vscode.window.showErrorMessage(noticeText(missingText(uri, id)));
  };

  return [
    register(COMMANDS.runCase, async (...args: unknown[]) => {
      const location = await locationOf(args, tree);
      if (location) await run(location.uri, location.id, location.variant);
    }),
    register(COMMANDS.runFile, async (...args: unknown[]) => {
      const uri = evalFileOf(args[0] ?? vscode.window.activeTextEditor?.document.uri);
      if (uri) await run(uri);
      else sayNoEvalFile();
    }),
    register(COMMANDS.openConversation, async (...args: unknown[]) => {
      const location = await locationOf(args, tree);
      const chosen = location && (await withVariant(location));
      if (chosen) await open(chosen);
    }),
    register(COMMANDS.saveConversation, async (...args: unknown[]) => {
      const location = await locationOf(args, tree);
      const chosen = location && (await withVariant(location));
      if (!chosen) return;
      const { saveConversation } = await import('./saveConversation.ts');
      await saveConversation(chosen);
    }),
    register(COMMANDS.judgeAgain, async (...args: unknown[]) => {
      const location = await locationOf(args.slice(0, 3), tree);
      const chosen = location && (await withVariant(location));
      if (!chosen || !mayRun()) return;
      const { judgeAgain } = await import('./goBack.ts');
      await judgeAgain(chosen, args[3], tree, runner);
    }),
    register(COMMANDS.resume, () => resume()),
    register('turnlight.resumeRun', async (given: unknown) => {
      if (isListed(given)) await resume(given.records);
    }),
    register(COMMANDS.improveJudge, async () => {
      if (!mayRun()) return;
      const { improveThisJudge } = await import('./improveJudge.ts');
      await improveThisJudge(secrets, log);
    }),
    register('turnlight.newEvalFile', async () => {
      const { newEvalFile } = await import('./newEvalFile.ts');
      await newEvalFile(secrets);
    }),
    register('turnlight.importFile', async (given: unknown) => {
      const { importAsEvalFile } = await import('./importFile.ts');
      await importAsEvalFile(given, log);
    }),
    register('turnlight.generateCases', async (given: unknown) => {
      const { generateCases } = await import('./generateCases.ts');
      await generateCases(given, secrets, log);
    }),
    register('turnlight.openExample', async () => {
      const { openExample } = await import('./openExample.ts');
      await openExample(extensionUri);
    }),
    register('turnlight.setApiKey', async () => {
      const { setKey } = await import('../lm/setKey.ts');
      await setKey(secrets);
    }),
    register('turnlight.clearApiKey', () => secrets.clear()),
    register('turnlight.showLog', () => log.show()),
    register('turnlight.restartServer', () => language.restart()),
    vscode.workspace.registerTextDocumentContentProvider(JUDGE_REQUEST, {
      async provideTextDocumentContent(uri) {
        const { judgeRequestText } = await import('../viewer/judgeRequest.ts');
        return judgeRequestText(uri, secrets.keys);
      },
    }),
  ];
}

/** From a code lens (URI, id), from a view (with variant and repetition), from the Testing panel (an item), or from the cursor. */
async function locationOf(
  [first, id, variant, repetition]: readonly unknown[],
  tree: TestTree,
): Promise<(CaseLocation & { repetition?: number }) | undefined> {
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

/** Of a case that stands for several conversations lets one choose: those first that did not pass. */
async function withVariant<Location extends CaseLocation>(
  location: Location,
): Promise<Location | undefined> {
  const { uri, id, variant } = location;
  const { suite } = await readSuite(uri);
  const expand = suite?.cases.find((one) => one.id === id)?.expand;
  if (variant !== undefined || !expand) return location;
  const { pickVariant } = await import('./pickVariant.ts');
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

/** Arguments come from anyone who knows the command: only an eval file on the disk is taken. */
function evalFileOf(value: unknown): vscode.Uri | undefined {
  const uri = typeof value === 'string' ? vscode.Uri.parse(value) : value;
  return uri instanceof vscode.Uri && isEvalFile(uri) ? uri : undefined;
}

function isTestItem(value: unknown): value is vscode.TestItem {
  return typeof value === 'object' && value !== null && 'children' in value && 'busy' in value;
}
