import {
  CodeActionKind,
  type Connection,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Estimate } from '../core/estimate.ts';
import type { SuiteCase } from '../core/suite.ts';
import { nodeFiles } from '../evalfile/nodeFiles.ts';
import { codeLenses, fileOfLens, resolveLens } from '../language/features/codeLens.ts';
import { completion } from '../language/features/completion.ts';
import { documentSymbols } from '../language/features/documentSymbols.ts';
import { hover } from '../language/features/hover.ts';
import { quickFixes } from '../language/features/quickFix.ts';
import type { Estimating, EvalDocument } from '../language/ports.ts';
import { SECTION } from '../shared/settings.ts';
import { isEvalFile, pathOf } from './addresses.ts';
import { clientFiles } from './clientFiles.ts';
import { mayMatter, Publisher } from './publisher.ts';
import { Workspace } from './workspace.ts';

/** Wires the language features to LSP. The server reads files and records, and runs nothing. */
export function startServer(connection: Connection): void {
  const documents = new TextDocuments(TextDocument);
  const workspace = new Workspace(() => documents.all(), clientFiles(connection, nodeFiles()));
  const diagnostics = new Publisher(connection, documents, workspace);
  let watches = false;
  let configures = false;
  let movesFolders = false;

  connection.onInitialize(({ capabilities, workspaceFolders, rootUri }) => {
    const roots = workspaceFolders?.map(({ uri }) => uri) ?? (rootUri ? [rootUri] : []);
    workspace.setFolders(roots.map(pathOf));
    workspace.setDefaultJudge(process.env.TURNLIGHT_JUDGE);
    watches = capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration ?? false;
    configures = capabilities.workspace?.configuration ?? false;
    movesFolders = capabilities.workspace?.workspaceFolders ?? false;
    return {
      capabilities: {
        textDocumentSync: TextDocumentSyncKind.Incremental,
        hoverProvider: true,
        codeLensProvider: { resolveProvider: true },
        completionProvider: { triggerCharacters: [':', ' ', '-'] },
        documentSymbolProvider: true,
        codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
    };
  });

  connection.onInitialized(async () => {
    if (movesFolders) {
      connection.workspace.onDidChangeWorkspaceFolders(async () => {
        const folders = await connection.workspace.getWorkspaceFolders();
        workspace.setFolders((folders ?? []).map(({ uri }) => pathOf(uri)));
        await diagnostics.checkFolders();
      });
    }
    if (watches) {
      await connection.client.register(DidChangeWatchedFilesNotification.type, {
        watchers: ['**/*.{md,json,jsonl,yaml,yml,js,mjs,ts}'].map((globPattern) => ({
          globPattern,
        })),
      });
    }
    if (configures) {
      await connection.client.register(DidChangeConfigurationNotification.type, {
        section: SECTION,
      });
      await readSettings();
    }
    await diagnostics.checkFolders();
  });

  const readSettings = async () => {
    const settings: unknown = await connection.workspace.getConfiguration(SECTION);
    const judge: unknown = Reflect.get(Object(settings), 'judge');
    const named = typeof judge === 'string' && judge !== '' ? judge : process.env.TURNLIGHT_JUDGE;
    workspace.setDefaultJudge(named);
    diagnostics.checkAll();
  };

  connection.onDidChangeConfiguration(async () => {
    if (configures) await readSettings();
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    // Records are looked at anew with every hover.
    const paths = changes.map(({ uri }) => pathOf(uri)).filter((path) => !isRecord(path));
    for (const path of paths.filter(mayMatter)) changed(path);
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
    diagnostics.checkUsersOf(path);
  };

  /** A feature that fails is logged and answers with nothing: the server goes on. */
  const answer = async <Result>(
    uri: string,
    nothing: Result,
    work: (document: EvalDocument) => Result | Promise<Result>,
  ): Promise<Result> => {
    const open = documents.get(uri);
    if (!open || !isEvalFile(uri)) return nothing;
    try {
      return await work(await workspace.document(open));
    } catch (error) {
      connection.console.error(String(error instanceof Error ? error.stack : error));
      return nothing;
    }
  };

  const estimates = rememberedEstimates();

  connection.onHover(({ textDocument, position }) =>
    answer(textDocument.uri, null, async (document) => {
      const lastRuns = (suite: string, id: string) => workspace.lastRuns(suite, id);
      return (await hover(document, position, lastRuns)) ?? null;
    }),
  );
  connection.onCodeLens(({ textDocument }) =>
    answer(textDocument.uri, [], (document) => codeLenses(document, textDocument.uri)),
  );
  connection.onCodeLensResolve((lens) =>
    answer(fileOfLens(lens) ?? '', lens, ({ suite }) => resolveLens(lens, suite, estimates)),
  );
  connection.onDocumentSymbol(({ textDocument }) => answer(textDocument.uri, [], documentSymbols));
  connection.onCompletion(({ textDocument, position }) =>
    answer(textDocument.uri, [], ({ yaml }) => completion(yaml.text, yaml.path, position)),
  );
  connection.onCodeAction(({ textDocument, context }) =>
    quickFixes(textDocument.uri, context.diagnostics),
  );

  documents.listen(connection);
  connection.listen();
}

function isRecord(path: string): boolean {
  return /[\\/]\.turnlight[\\/]/.test(path);
}

/** The estimate of a case is the same as long as its suite is: each version of it is a new object. */
function rememberedEstimates(): Estimating {
  const known = new WeakMap<SuiteCase, Promise<Estimate>>();
  return (suiteCase) => {
    const found = known.get(suiteCase) ?? estimate(suiteCase);
    known.set(suiteCase, found);
    return found;
  };
}

/** The tokenizer's tables are large: they are loaded when the first lens is shown. */
async function estimate(suiteCase: SuiteCase): Promise<Estimate> {
  const { estimateCase } = await import('../judge/estimate.ts');
  return estimateCase(suiteCase);
}
