import * as vscode from 'vscode';
import {
  AGREEMENT_VIEW_TYPE,
  LABELLING_VIEW_TYPE,
  LANGUAGE_ID,
  RESULTS_VIEW_TYPE,
  TRENDS_VIEW_TYPE,
  VIEW_TYPE,
} from '../protocol/settings.ts';
import { registerCommands } from './commands/commands.ts';
import { offerRenames } from './commands/renameOffer.ts';
import { createCompareCommands } from './comparison/compareCommands.ts';
import { LanguageSupport } from './languageClient.ts';
import { LiveRuns } from './liveRuns.ts';
import { RecordFiles } from './runs/recordFiles.ts';
import { registerRunCommands } from './runs/runCommands.ts';
import { RunsTree } from './runs/runsTree.ts';
import { Secrets } from './secrets.ts';
import { ContinuousRuns } from './testing/continuousRuns.ts';
import { LastResults } from './testing/lastResults.ts';
import { RecordedRuns } from './testing/recordedRuns.ts';
import { TestRunner } from './testing/runner.ts';
import { RunStatus } from './testing/runStatus.ts';
import { TestTree } from './testing/tree.ts';
import { mayRun } from './trust.ts';
import type { ConversationLocation } from './viewer/viewer.ts';

/**
 * Registers everything and returns before anything is read from the disk. Language client, runner,
 * file reading and the conversation view are loaded when they are first needed.
 */
export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Turnlight', { log: true });
  const controller = vscode.tests.createTestController('turnlight', 'Turnlight');
  const tree = new TestTree(controller);
  const live = new LiveRuns();
  const secrets = new Secrets(context.secrets, log);
  const language = new LanguageSupport(context, log);
  const status = new RunStatus();
  const listening = tree.onDidList(() => {
    listening.dispose();
    // What the Testing view offers of ours, it offers where there are eval files.
    void vscode.commands.executeCommand('setContext', 'turnlight.listed', true);
  });
  language.onWillRenameCases((renamed) => tree.expectRenames(renamed));
  tree.onDidLose(({ id, variants }) => status.leaveOut(id, variants));
  const records = new RecordFiles(tree);
  const runs = new RunsTree(records);
  const recorded = new RecordedRuns({ controller, tree, live, records, status, log });
  const last = new LastResults({ controller, tree, live, recorded, log });
  const runner = new TestRunner({
    controller,
    tree,
    secrets,
    live,
    recorded,
    language,
    status,
    log,
  });
  const continuous = new ContinuousRuns({ controller, tree, runner, log });
  const { extensionUri } = context;
  const parts = { extensionUri, live, language, log };
  const open = async (location: ConversationLocation) => {
    const { openConversation } = await import('./viewer/viewer.ts');
    openConversation(location, parts);
  };
  const tableParts = { extensionUri, files: records, log };
  const comparing = createCompareCommands({
    runs,
    async shown() {
      const { activeResults } = await import('./results/results.ts');
      const { activeComparison } = await import('./comparison/comparisons.ts');
      return activeResults() ?? activeComparison();
    },
    async open(pair) {
      const { openComparison } = await import('./comparison/comparisons.ts');
      openComparison(pair, tableParts);
    },
  });
  const { compareWith } = comparing;
  const resume = async (paths?: readonly string[]) => {
    if (!mayRun()) return;
    const { resumeRun } = await import('./commands/goBack.ts');
    await resumeRun(tree, runner, paths);
  };
  const resultsParts = { ...tableParts, openConversation: open, compareWith, resume };
  const openRun = async (paths: readonly string[]) => {
    const { openResults } = await import('./results/results.ts');
    openResults(paths, resultsParts);
  };
  const trendsParts = { ...tableParts, runs: () => runs.all(), open: openRun };

  controller.createRunProfile(
    'Run',
    vscode.TestRunProfileKind.Run,
    async (request, token) => {
      if (request.continuous) continuous.watch(request, token);
      else await runner.run(request);
    },
    true,
    undefined,
    true,
  );
  controller.createRunProfile('Run fresh', vscode.TestRunProfileKind.Run, async (request) => {
    await runner.run(request, { fresh: true });
  });
  controller.createRunProfile(
    'Debug',
    vscode.TestRunProfileKind.Debug,
    async (request) => {
      await runner.run(request, { debugged: true });
    },
    true,
  );
  const startLanguage = ({ languageId }: vscode.TextDocument) => {
    if (languageId !== LANGUAGE_ID) return;
    void language.start();
  };
  vscode.workspace.textDocuments.forEach(startLanguage);

  context.subscriptions.push(
    log,
    controller,
    tree,
    live,
    status,
    language,
    records,
    runs,
    recorded,
    last,
    continuous,
    vscode.workspace.onDidOpenTextDocument(startLanguage),
    offerRenames(context.workspaceState),
    vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, {
      async deserializeWebviewPanel(panel, state) {
        const { isPair, restorePair } = await import('./comparison/comparisons.ts');
        if (isPair(state)) {
          restorePair(panel, state, tableParts);
          return;
        }
        const { restoreConversation } = await import('./viewer/viewer.ts');
        restoreConversation(panel, state, parts);
      },
    }),
    vscode.window.registerWebviewPanelSerializer(RESULTS_VIEW_TYPE, {
      async deserializeWebviewPanel(panel, state) {
        const { isComparison, showComparison } = await import('./comparison/comparisons.ts');
        if (isComparison(state)) {
          showComparison(panel, state, tableParts);
          return;
        }
        const { restoreResults } = await import('./results/results.ts');
        restoreResults(panel, state, resultsParts);
      },
    }),
    ...comparing.registered,
    vscode.window.registerWebviewPanelSerializer(AGREEMENT_VIEW_TYPE, {
      async deserializeWebviewPanel(panel) {
        const { restoreAgreement } = await import('./agreement/panel.ts');
        restoreAgreement(panel, resultsParts);
      },
    }),
    vscode.window.registerWebviewPanelSerializer(LABELLING_VIEW_TYPE, {
      async deserializeWebviewPanel(panel, state) {
        const { restoreLabelling } = await import('./labels/labellingPanel.ts');
        restoreLabelling(panel, state, resultsParts);
      },
    }),
    vscode.commands.registerCommand('turnlight.showAgreement', async () => {
      const { openAgreement } = await import('./agreement/panel.ts');
      openAgreement(resultsParts);
    }),
    vscode.window.registerWebviewPanelSerializer(TRENDS_VIEW_TYPE, {
      async deserializeWebviewPanel(panel) {
        const { attachTrends } = await import('./trends/trends.ts');
        attachTrends(panel, trendsParts);
      },
    }),
    vscode.commands.registerCommand('turnlight.showTrends', async () => {
      const { showTrends } = await import('./trends/trends.ts');
      showTrends(trendsParts);
    }),
    vscode.commands.registerCommand('turnlight.labelConversations', async () => {
      const { labelConversations } = await import('./labels/labellingPanel.ts');
      await labelConversations(resultsParts);
    }),
    ...registerRunCommands({
      runs,
      open: openRun,
    }),
    ...registerCommands({
      resume,
      tree,
      runner,
      secrets,
      language,
      log,
      extensionUri,
      open: ({ uri, id, variant, repetition, turn }) =>
        open({ uri, id, variant, repetition, turn }),
    }),
  );
}
