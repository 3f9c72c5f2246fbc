import { pathToFileURL } from 'node:url';
import {
  type ClientCapabilities,
  type Connection,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  FileChangeType,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import * as z from 'zod';
import type { Estimate } from '../core/estimate.ts';
import type { SuiteCase } from '../core/suite.ts';
import { noticeText } from '../core/text/visibleText.ts';
import { CaseRenames, type RenamedCase } from '../evalfile/caseRenames.ts';
import { nodeFiles } from '../evalfile/nodeFiles.ts';
import type { ClientSettings, EstimateCase } from '../language/ports.ts';
import { createLanguageService } from '../language/service.ts';
import { DATA_FOLDER, DOCS_FOLDER, isEvalFile } from '../node/paths.ts';
import { COMMANDS, DOCS_SCHEME, SECTION } from '../protocol/names.ts';
import {
  CASE_RENAMED,
  CASE_RENAMES,
  type CaseRenamed,
  clientOptionsSchema,
  EDITOR_MODELS,
  editorModelsSchema,
  namesSchema,
  SET_VARIABLES,
} from '../protocol/serverProtocol.ts';
import { examplesOf } from '../store/examples.ts';
import { RecordWatch } from '../store/watchRecords.ts';
import { clientFiles, isVirtual, listFolder, pathOf, uriOf } from './clientFiles.ts';
import { FEATURES, serveFeatures } from './features.ts';
import { createMarkSender, createPublisher, isPossibleDependency } from './publisher.ts';
import { moveResults } from './recordRenames.ts';
import { createSuiteIndex, createWorkspace } from './workspace.ts';

/** Milliseconds without a record change before verdicts are refreshed. */
const REFRESH_DELAY = 100;

/** The settings that the server reads. Invalid values count as not set. */
const settingsSchema = z.object({
  judge: z.string().catch(''),
  inlayHints: z
    .object({ turnNumbers: z.boolean().catch(true), scores: z.boolean().catch(true) })
    .catch({ turnNumbers: true, scores: true }),
});

/** Serves the language features over LSP. The server reads files and records, and runs nothing. */
export function startServer(connection: Connection): void {
  const documents = new TextDocuments(TextDocument);
  const index = createSuiteIndex((path) => publisher.checkAgain(path));
  const files = clientFiles(connection, nodeFiles());
  const workspace = createWorkspace(() => documents.all(), files, index);
  const renames = new CaseRenames();
  const records = new RecordWatch(() => verdicts.schedule());
  const sendMarks = createMarkSender(connection, workspace);
  const publisher = createPublisher(
    connection,
    workspace,
    (page) => problemLink(page, isExtension),
    async (suite) => {
      const renamed = await moveResults(suite, renames, (message) =>
        connection.window.showErrorMessage(noticeText(message)),
      );
      if (!isExtension) return;
      for (const { suite: path, from, to } of renamed) {
        const params: CaseRenamed = { suite: path, from, to };
        await connection.sendNotification(CASE_RENAMED, params);
      }
      await sendMarks(suite.path);
    },
  );
  let clientSettings: ClientSettings = {
    snippets: false,
    hints: { turnNumbers: true, scores: true },
  };
  let client: NonNullable<ClientCapabilities['workspace']> = {};
  let isExtension = false;

  connection.onInitialize(({ capabilities, workspaceFolders, rootUri, initializationOptions }) => {
    const roots = workspaceFolders?.map(({ uri }) => uri) ?? (rootUri ? [rootUri] : []);
    workspace.setFolders(roots.map(pathOf));
    workspace.setDefaultJudge(process.env.TURNLIGHT_JUDGE);
    client = capabilities.workspace ?? {};
    isExtension = clientOptionsSchema.parse(Object(initializationOptions)).extension;
    const { snippetSupport = false } = capabilities.textDocument?.completion?.completionItem ?? {};
    clientSettings = { ...clientSettings, snippets: snippetSupport };
    return {
      capabilities: {
        ...FEATURES,
        textDocumentSync: TextDocumentSyncKind.Incremental,
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
    };
  });

  connection.onInitialized(async () => {
    if (client.workspaceFolders) {
      connection.workspace.onDidChangeWorkspaceFolders(async () => {
        const folders = await connection.workspace.getWorkspaceFolders();
        workspace.setFolders((folders ?? []).map(({ uri }) => pathOf(uri)));
        await publisher.checkFolders();
      });
    }
    if (client.didChangeWatchedFiles?.dynamicRegistration) {
      const globPattern = '**/*.{md,json,jsonl,csv,yaml,yml,js,mjs,ts}';
      await connection.client.register(DidChangeWatchedFilesNotification.type, {
        watchers: [{ globPattern }],
      });
    }
    if (client.configuration) {
      await connection.client.register(DidChangeConfigurationNotification.type, {
        section: SECTION,
      });
      await readSettings();
    }
    await publisher.checkFolders();
  });

  const readSettings = async () => {
    const given: unknown = await connection.workspace.getConfiguration(SECTION);
    const { judge, inlayHints } = settingsSchema.parse(Object(given));
    workspace.setDefaultJudge(judge === '' ? process.env.TURNLIGHT_JUDGE : judge);
    clientSettings = { ...clientSettings, hints: inlayHints };
    showVerdicts();
    publisher.checkAll();
  };

  const showVerdicts = () => {
    verdicts.count += 1;
    if (client.inlayHint?.refreshSupport) void connection.languages.inlayHint.refresh();
    if (isExtension) for (const path of workspace.openPaths()) void sendMarks(path);
  };

  let timer: NodeJS.Timeout | undefined;
  const verdicts = {
    count: 0,
    /** Delays the refresh, because records are written in many small pieces. */
    schedule() {
      clearTimeout(timer);
      timer = setTimeout(showVerdicts, REFRESH_DELAY);
    },
  };

  connection.onDidChangeConfiguration(async () => {
    if (client.configuration) await readSettings();
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    const paths = changes.map(({ uri }) => pathOf(uri));
    // Requests always read the newest records, so nothing else is invalidated.
    if (paths.some(isRecord)) verdicts.schedule();
    for (const path of paths) if (!isRecord(path) && isPossibleDependency(path)) changed(path);
    if (changes.some(({ type }) => type !== FileChangeType.Changed))
      workspace.changeDetector.reset();
  });

  documents.onDidOpen(({ document: { uri } }) => {
    const path = pathOf(uri);
    if (isEvalFile(path) && !isVirtual(path))
      void records.add({ path, workspace: workspace.workspaceOf(path) });
  });
  documents.onDidChangeContent(({ document }) => changed(pathOf(document.uri)));
  // Unsaved changes are discarded on close.
  documents.onDidClose(({ document }) => changed(pathOf(document.uri)));

  /** Checks a changed file, and the eval files that use it. */
  const changed = (path: string) => {
    workspace.invalidateUsersOf(path);
    publisher.checkUsersOf(path);
    // If an eval file was edited, the client requests hints by itself.
    if (!isEvalFile(path)) verdicts.schedule();
  };

  const service = createLanguageService({
    ...workspace,
    listFolder: (path) => listFolder(connection, path),
    estimate: createEstimator(),
    editorModels: async () =>
      isExtension ? editorModelsSchema.parse(await connection.sendRequest(EDITOR_MODELS)) : [],
    setVariables: async (names) =>
      isExtension
        ? namesSchema.parse(await connection.sendRequest(SET_VARIABLES, names))
        : names.filter((name) => process.env[name]),
    clientSettings: () => clientSettings,
    docsLink: (page) => docsLink(page, isExtension),
    uriOf,
  });
  const expect = (renamed: readonly RenamedCase[]) => {
    renames.expect(renamed);
    if (isExtension) void connection.sendNotification(CASE_RENAMES, renamed);
  };
  serveFeatures(connection, service, { expect }, verdicts);
  documents.listen(connection);
  connection.listen();
}

/** A link to a page of the documentation, for Markdown. */
function docsLink(page: string, isExtension: boolean): string {
  if (!isExtension) return `${pathToFileURL(DOCS_FOLDER).href}/${page}`;
  return `command:${COMMANDS.openDocumentation}?${encodeURIComponent(JSON.stringify([page]))}`;
}

/** The same for a problem, where VS Code ignores commands. */
function problemLink(page: string, isExtension: boolean): string {
  return isExtension ? `${DOCS_SCHEME}:/${encodeURI(page)}` : docsLink(page, isExtension);
}

/**
 * Returns a function that estimates each case only once. The tokenizer's tables are large, so they are loaded for the
 * first lens.
 */
function createEstimator(): EstimateCase {
  const known = new WeakMap<SuiteCase, Promise<Estimate>>();
  const estimate: EstimateCase = async (suiteCase, suite) => {
    const { estimateCase } = await import('../judge/estimate.ts');
    return estimateCase(suiteCase, undefined, examplesOf(suite)(suiteCase));
  };
  return (suiteCase, suite) => {
    const found = known.get(suiteCase) ?? estimate(suiteCase, suite);
    known.set(suiteCase, found);
    return found;
  };
}

function isRecord(path: string): boolean {
  return path.split(/[\\/]/).includes(DATA_FOLDER);
}
