import * as vscode from 'vscode';
import { COMMANDS, JUDGE_REQUEST_SCHEME, LANGUAGE_ID } from '../protocol/names.ts';
import { type ViewPage, viewTypeOf } from '../protocol/viewPage.ts';
import { judgeCase, openCase, runCase, runFile, saveCase, talk } from './commands/caseCommands.ts';
import { offerRenames } from './commands/renameOffer.ts';
import type { Inbox } from './inbox/inbox.ts';
import type { TraceAction } from './inbox/traceCommands.ts';
import { LanguageSupport } from './languageClient.ts';
import { LiveRuns } from './liveRuns.ts';
import type { PageParts } from './pages/webviewPage.ts';
import { RecordFiles } from './runs/recordFiles.ts';
import { actOnRuns, openRunFile, type RunAction } from './runs/runCommands.ts';
import { RunsTree } from './runs/runsTree.ts';
import { Secrets } from './secrets.ts';
import { ContinuousRuns } from './testing/continuousRuns.ts';
import { LastResults, RecordedRuns } from './testing/recordedRuns.ts';
import { type RunRequestOptions, TestRunner } from './testing/runner.ts';
import { RunStatus } from './testing/runStatus.ts';
import { TestTree } from './testing/tree.ts';

/**
 * Registers everything and returns before it reads anything. Loads the language client, runner, pages, and most
 * commands on first use.
 */
export function activate(context: vscode.ExtensionContext): void {
  const parts = startServices(context);
  const { controller, runner, continuous, secrets, language, log } = parts;
  const comparing = () => import('./comparison/comparisonPage.ts');
  const onRuns =
    (action: RunAction) =>
    (...given: unknown[]) =>
      actOnRuns(action, given, parts);

  let received: Promise<Inbox> | undefined;
  const inbox = () => {
    received ??= import('./inbox/inbox.ts').then(({ Inbox }) => new Inbox());
    return received;
  };
  const onTrace = (action: TraceAction) => async (given: unknown) =>
    (await import('./inbox/traceCommands.ts')).actOnTrace(action, given, await inbox(), parts);

  const commands: Readonly<Record<string, (...given: unknown[]) => unknown>> = {
    [COMMANDS.runCase]: (...given) => runCase(given, parts),
    [COMMANDS.runFile]: (...given) => runFile(given, parts),
    [COMMANDS.openConversation]: (...given) => openCase(given, parts),
    [COMMANDS.saveConversation]: (...given) => saveCase(given, parts),
    [COMMANDS.judgeAgain]: (...given) => judgeCase(given, parts),
    [COMMANDS.resume]: () => parts.resume(),
    [COMMANDS.talk]: (...given) => talk(given, parts),
    [COMMANDS.improveJudge]: async () =>
      (await import('./commands/improveJudge.ts')).improveThisJudge(secrets, log),
    'turnlight.newEvalFile': async () =>
      (await import('./commands/newEvalFile.ts')).newEvalFile(secrets),
    'turnlight.importFile': async (given) =>
      (await import('./commands/importFile.ts')).importAsEvalFile(given, secrets, log),
    'turnlight.generateCases': async (given) =>
      (await import('./commands/generateCases.ts')).generateCases(given, secrets, log),
    'turnlight.openExample': async () =>
      (await import('./commands/newEvalFile.ts')).openExample(parts.extensionUri),
    [COMMANDS.openDocumentation]: async (page) =>
      (await import('./commands/openDocumentation.ts')).openDocumentation(parts.extensionUri, page),
    'turnlight.openRun': onRuns('open'),
    'turnlight.pinRun': onRuns('pin'),
    'turnlight.unpinRun': onRuns('unpin'),
    'turnlight.renameRun': onRuns('rename'),
    'turnlight.deleteRun': onRuns('delete'),
    'turnlight.resumeRun': onRuns('resume'),
    'turnlight.openRunFile': (given) => openRunFile(given, parts),
    'turnlight.compareWith': async (given) => (await comparing()).compareRun(given, parts),
    'turnlight.compareSelected': async (_, given) =>
      (await comparing()).compareSelected(given, parts),
    'turnlight.showTrends': async () => (await import('./trends/trendsPage.ts')).openTrends(parts),
    'turnlight.showAgreement': async () =>
      (await import('./agreement/agreementPage.ts')).openAgreement(parts),
    'turnlight.labelConversations': async () =>
      (await import('./labels/labelingPage.ts')).labelConversations(parts),
    'turnlight.setApiKey': async () => (await import('./lm/keys.ts')).setKey(secrets),
    'turnlight.clearApiKey': () => secrets.clear(),
    'turnlight.copyTraceVariables': async () =>
      (await import('./commands/copyTraceVariables.ts')).copyTraceVariables(),
    'turnlight.receiveTraces': async () => (await inbox()).receive(),
    'turnlight.stopTraces': async () => (await inbox()).stop(),
    'turnlight.clearTraces': async () => (await inbox()).clear(),
    'turnlight.openTrace': onTrace('open'),
    'turnlight.judgeTrace': onTrace('judge'),
    'turnlight.saveTrace': onTrace('save'),
    'turnlight.openTraceTerminal': async () =>
      (await import('./commands/copyTraceVariables.ts')).openTraceTerminal(),
    'turnlight.showLog': () => log.show(),
    'turnlight.restartServer': () => language.restart(),
  };

  const { Run, Debug } = vscode.TestRunProfileKind;
  const runWith =
    (options: RunRequestOptions) =>
    async (request: vscode.TestRunRequest, token: vscode.CancellationToken) => {
      if (request.continuous) continuous.watch(request, token);
      else await runner.run(request, options);
    };
  controller.createRunProfile('Run', Run, runWith({}), true, undefined, true);
  controller.createRunProfile('Run fresh', Run, runWith({ fresh: true }));
  controller.createRunProfile('Debug', Debug, runWith({ debugged: true }), true);

  const startLanguage = ({ languageId }: vscode.TextDocument) => {
    if (languageId === LANGUAGE_ID) void language.start();
  };
  vscode.workspace.textDocuments.forEach(startLanguage);

  context.subscriptions.push(
    { dispose: () => received?.then((one) => one.dispose()) },
    vscode.workspace.onDidOpenTextDocument(startLanguage),
    offerRenames(context.workspaceState),
    vscode.workspace.registerTextDocumentContentProvider(JUDGE_REQUEST_SCHEME, {
      provideTextDocumentContent: async (uri) =>
        (await import('./viewer/judgeRequest.ts')).judgeRequestText(uri, secrets),
    }),
    vscode.window.registerCustomEditorProvider('turnlight.documentation', {
      openCustomDocument: (uri) => ({ uri, dispose() {} }),
      async resolveCustomEditor({ uri }, panel) {
        await vscode.commands.executeCommand(
          COMMANDS.openDocumentation,
          `${uri.path.slice(1)}#${uri.fragment}`,
        );
        panel.dispose();
      },
    }),
    ...Object.entries(commands).map(([id, run]) => vscode.commands.registerCommand(id, run)),
    ...Object.entries(PAGES).map(([page, restore]) =>
      vscode.window.registerWebviewPanelSerializer(viewTypeOf(page as ViewPage), {
        deserializeWebviewPanel: (panel, state: unknown) => restore(panel, state, parts),
      }),
    ),
  );
}

/** Restores a page after a reload. @param state the state that the page saved */
type Restore = (panel: vscode.WebviewPanel, state: unknown, parts: PageParts) => Promise<void>;

const PAGES: Readonly<Record<ViewPage, Restore>> = {
  conversation: async (...given) =>
    (await import('./viewer/conversationPage.ts')).restoreConversation(...given),
  results: async (...given) => (await import('./results/resultsPage.ts')).restoreResults(...given),
  agreement: async (panel, _, parts) => {
    const { AgreementPage } = await import('./agreement/agreementPage.ts');
    new AgreementPage(panel, parts);
  },
  labeling: async (...given) =>
    (await import('./labels/labelingPage.ts')).restoreLabeling(...given),
  talk: async (...given) => (await import('./talk/endedTalkPage.ts')).restoreTalk(...given),
  trends: async (panel, _, parts) => {
    const { TrendsPage } = await import('./trends/trendsPage.ts');
    new TrendsPage(panel, parts);
  },
};

/** Services that commands, pages, and the Testing panel share. */
function startServices(context: vscode.ExtensionContext) {
  const { extensionUri, subscriptions } = context;
  const log = vscode.window.createOutputChannel('Turnlight', { log: true });
  const controller = vscode.tests.createTestController('turnlight', 'Turnlight');
  const tree = new TestTree(controller);
  const live = new LiveRuns();
  const secrets = new Secrets(context.secrets, log);
  const language = new LanguageSupport(context, secrets.keys, log);
  const status = new RunStatus();
  const listening = tree.onDidList(() => {
    listening.dispose();
    // Shows Turnlight's commands in the Testing view only if there are eval files.
    void vscode.commands.executeCommand('setContext', 'turnlight.listed', true);
  });
  language.onWillRenameCases((renamed) => tree.expectRenames(renamed));
  tree.onDidRemoveVariants(({ id, variants }) => status.remove(id, variants));
  const files = new RecordFiles(tree);
  const runs = new RunsTree(files);
  const testing = { controller, tree, live, status, log };
  const recorded = new RecordedRuns({ ...testing, records: files });
  const last = new LastResults(testing, recorded);
  const runner = new TestRunner({ ...testing, secrets, recorded, language });
  const continuous = new ContinuousRuns({ controller, tree, runner, log });
  const resume = async (records?: readonly string[]) =>
    (await import('./commands/lastRuns.ts')).resumeRun(tree, runner, records);
  subscriptions.push(log, controller, tree, live, status, language);
  subscriptions.push(files, runs, recorded, last, continuous);
  return {
    ...{ extensionUri, controller, tree, live, secrets, language, files, runs, runner, continuous },
    ...{ log, resume },
  };
}
