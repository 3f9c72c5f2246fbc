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
import type { RenamedCase } from '../evalfile/caseRenames.ts';
import { nodeFiles } from '../evalfile/nodeFiles.ts';
import type { ClientWishes, Estimating } from '../language/ports.ts';
import { createLanguageService } from '../language/service.ts';
import { HOME_FOLDER } from '../node/paths.ts';
import { isEvalFile, SECTION } from '../protocol/names.ts';
import {
  CASE_RENAMED,
  CASE_RENAMES,
  type CaseRenamed,
  clientOptionsSchema,
  EDITOR_MODELS,
  editorModelsSchema,
} from '../protocol/serverProtocol.ts';
import { examplesOf } from '../store/examples.ts';
import { RecordWatch } from '../store/watchRecords.ts';
import { clientFiles, isVirtual, listFolder, pathOf, uriOf } from './clientFiles.ts';
import { FEATURES, serveFeatures } from './features.ts';
import { createPublisher, markSender, mayMatter } from './publisher.ts';
import { recordRenames } from './recordRenames.ts';
import { createSuiteIndex, createWorkspace } from './workspace.ts';

/** Milliseconds without a change of records before what is shown of them is changed. */
const PACE = 100;

/** What is read of the client's settings; what is wrong in them counts as not set. */
const settingsSchema = z.object({
  judge: z.string().catch(''),
  inlayHints: z
    .object({ turnNumbers: z.boolean().catch(true), scores: z.boolean().catch(true) })
    .catch({ turnNumbers: true, scores: true }),
});

/** Wires the language features to LSP. The server reads files and records, and runs nothing. */
export function startServer(connection: Connection): void {
  const documents = new TextDocuments(TextDocument);
  const index = createSuiteIndex((path) => publisher.checkAgain(path));
  const files = clientFiles(connection, nodeFiles());
  const workspace = createWorkspace(() => documents.all(), files, index);
  const renames = recordRenames();
  const records = new RecordWatch(() => verdicts.soon());
  const sendMarks = markSender(connection, workspace);
  const publisher = createPublisher(connection, workspace, async (suite) => {
    const renamed = await renames.seen(suite, (message) =>
      connection.window.showErrorMessage(noticeText(message)),
    );
    if (!isExtension) return;
    for (const { suite: path, from, to } of renamed) {
      const told: CaseRenamed = { suite: path, from, to };
      await connection.sendNotification(CASE_RENAMED, told);
    }
    await sendMarks(suite.path);
  });
  let wishes: ClientWishes = { snippets: false, hints: { turnNumbers: true, scores: true } };
  let client: NonNullable<ClientCapabilities['workspace']> = {};
  let isExtension = false;

  connection.onInitialize(({ capabilities, workspaceFolders, rootUri, initializationOptions }) => {
    const roots = workspaceFolders?.map(({ uri }) => uri) ?? (rootUri ? [rootUri] : []);
    workspace.setFolders(roots.map(pathOf));
    workspace.setDefaultJudge(process.env.TURNLIGHT_JUDGE);
    client = capabilities.workspace ?? {};
    isExtension = clientOptionsSchema.parse(Object(initializationOptions)).extension;
    const { snippetSupport = false } = capabilities.textDocument?.completion?.completionItem ?? {};
    wishes = { ...wishes, snippets: snippetSupport };
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
    wishes = { ...wishes, hints: inlayHints };
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
    /** What is recorded comes in many small pieces. */
    soon() {
      clearTimeout(timer);
      timer = setTimeout(showVerdicts, PACE);
    },
  };

  connection.onDidChangeConfiguration(async () => {
    if (client.configuration) await readSettings();
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    const paths = changes.map(({ uri }) => pathOf(uri));
    // Records are looked at anew with every request.
    if (paths.some(isRecord)) verdicts.soon();
    for (const path of paths) if (!isRecord(path) && mayMatter(path)) changed(path);
    if (changes.some(({ type }) => type !== FileChangeType.Changed)) workspace.casesNow.forget();
  });

  documents.onDidOpen(({ document: { uri } }) => {
    const path = pathOf(uri);
    if (isEvalFile(path) && !isVirtual(path))
      void records.add({ path, workspace: workspace.workspaceOf(path) });
  });
  documents.onDidChangeContent(({ document }) => changed(pathOf(document.uri)));
  // What was typed into it and not saved no longer counts.
  documents.onDidClose(({ document }) => changed(pathOf(document.uri)));

  /** A prompt, a transcript or an included file may be part of any eval file. */
  const changed = (path: string) => {
    workspace.forgetUsersOf(path);
    publisher.checkUsersOf(path);
    // What is typed into an eval file the client asks about itself.
    if (!isEvalFile(path)) verdicts.soon();
  };

  const service = createLanguageService({
    ...workspace,
    listFolder: (path) => listFolder(connection, path),
    estimate: estimating(),
    editorModels: async () =>
      isExtension ? editorModelsSchema.parse(await connection.sendRequest(EDITOR_MODELS)) : [],
    wishes: () => wishes,
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

/** Each case once. The tokenizer's tables are large: they are loaded when the first lens is shown. */
function estimating(): Estimating {
  const known = new WeakMap<SuiteCase, Promise<Estimate>>();
  const estimate: Estimating = async (suiteCase, suite) => {
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
  return path.split(/[\\/]/).includes(HOME_FOLDER);
}
