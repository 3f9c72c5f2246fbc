import {
  type Connection,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import * as z from 'zod';
import { nodeFiles } from '../evalfile/nodeFiles.ts';
import { SECTION } from '../protocol/settings.ts';
import { isEvalFile, pathOf } from './addresses.ts';
import { clientFiles } from './clientFiles.ts';
import { type ClientWishes, FEATURES, serveFeatures } from './features.ts';
import { mayMatter, Publisher } from './publisher.ts';
import { RecordRenames } from './recordRenames.ts';
import { RecordWatch } from './recordWatch.ts';
import { Workspace } from './workspace.ts';

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
  const workspace = new Workspace(() => documents.all(), clientFiles(connection, nodeFiles()));
  const renames = new RecordRenames();
  const records = new RecordWatch(connection, workspace);
  const publisher = new Publisher(connection, documents, workspace, (suite) => renames.seen(suite));
  const wishes: ClientWishes = { snippets: false, hints: { turnNumbers: true, scores: true } };
  let watches = false;
  let watchesOutside = false;
  let configures = false;
  let movesFolders = false;
  let refreshesHints = false;

  connection.onInitialize(({ capabilities, workspaceFolders, rootUri }) => {
    const roots = workspaceFolders?.map(({ uri }) => uri) ?? (rootUri ? [rootUri] : []);
    workspace.setFolders(roots.map(pathOf));
    workspace.setDefaultJudge(process.env.TURNLIGHT_JUDGE);
    const watching = capabilities.workspace?.didChangeWatchedFiles;
    watches = watching?.dynamicRegistration ?? false;
    watchesOutside = watches && (watching?.relativePatternSupport ?? false);
    configures = capabilities.workspace?.configuration ?? false;
    movesFolders = capabilities.workspace?.workspaceFolders ?? false;
    refreshesHints = capabilities.workspace?.inlayHint?.refreshSupport ?? false;
    wishes.snippets =
      capabilities.textDocument?.completion?.completionItem?.snippetSupport ?? false;
    return {
      capabilities: {
        ...FEATURES,
        textDocumentSync: TextDocumentSyncKind.Incremental,
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
    };
  });

  connection.onInitialized(async () => {
    if (movesFolders) {
      connection.workspace.onDidChangeWorkspaceFolders(async () => {
        const folders = await connection.workspace.getWorkspaceFolders();
        workspace.setFolders((folders ?? []).map(({ uri }) => pathOf(uri)));
        await publisher.checkFolders();
      });
    }
    if (watches) {
      const globs = ['**/*.{md,json,jsonl,yaml,yml,js,mjs,ts}', '**/.turnlight/runs/*.jsonl'];
      await connection.client.register(DidChangeWatchedFilesNotification.type, {
        watchers: globs.map((globPattern) => ({ globPattern })),
      });
    }
    if (configures) {
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
    wishes.hints = inlayHints;
    showHints();
    publisher.checkAll();
  };

  const showHints = () => {
    if (refreshesHints) void connection.languages.inlayHint.refresh();
  };

  connection.onDidChangeConfiguration(async () => {
    if (configures) await readSettings();
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    const paths = changes.map(({ uri }) => pathOf(uri));
    // Records are looked at anew with every request.
    if (paths.some(isRecord)) showHints();
    for (const path of paths) if (!isRecord(path) && mayMatter(path)) changed(path);
  });

  documents.onDidOpen(({ document: { uri } }) => {
    if (watchesOutside && isEvalFile(uri)) void records.watchFor(pathOf(uri));
  });
  documents.onDidChangeContent(({ document }) => changed(pathOf(document.uri)));
  documents.onDidClose(({ document }) => {
    workspace.closed(document.uri);
    // What was typed into it and not saved no longer counts.
    changed(pathOf(document.uri));
  });

  /** A prompt, a transcript or an included file may be part of any eval file. */
  const changed = (path: string) => {
    workspace.forgetUsersOf(path);
    publisher.checkUsersOf(path);
  };

  serveFeatures({ connection, documents, workspace, publisher, renames, wishes });
  documents.listen(connection);
  connection.listen();
}

function isRecord(path: string): boolean {
  return /[\\/]\.turnlight[\\/]/.test(path);
}
