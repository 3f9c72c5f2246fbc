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
import { codeLenses, fileOfLens, resolveLens } from '../language/features/codeLens.ts';
import { completion } from '../language/features/completion.ts';
import { diagnosticsByFile } from '../language/features/diagnostics.ts';
import { documentSymbols } from '../language/features/documentSymbols.ts';
import { hover } from '../language/features/hover.ts';
import { quickFixes } from '../language/features/quickFix.ts';
import type { Estimating, EvalDocument } from '../language/ports.ts';
import { SECTION } from '../shared/settings.ts';
import { isEvalFile, pathOf, uriOf, Workspace } from './workspace.ts';

/** Milliseconds without a key press before a text is checked. */
const DEBOUNCE = 150;

/** Wires the language features to LSP. The server reads files and records, and runs nothing. */
export function startServer(connection: Connection): void {
  const documents = new TextDocuments(TextDocument);
  const workspace = new Workspace(() => documents.all());
  const diagnostics = new DiagnosticsPublisher(connection, documents, workspace);
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
        diagnostics.checkAll();
      });
    }
    if (watches) {
      await connection.client.register(DidChangeWatchedFilesNotification.type, {
        watchers: ['**/*.{md,json,jsonl,yaml,yml}'].map((globPattern) => ({ globPattern })),
      });
    }
    if (configures) {
      await connection.client.register(DidChangeConfigurationNotification.type, {
        section: SECTION,
      });
      await readSettings();
    }
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
    if (changes.every(({ uri }) => uri.includes('/.turnlight/'))) return;
    workspace.forget();
    diagnostics.checkAll();
  });

  documents.onDidChangeContent(({ document }) => {
    // A prompt or a transcript may be part of any open eval file.
    if (isEvalFile(document.uri)) {
      diagnostics.check(document);
      void checkUsers(document.uri);
    } else {
      workspace.forget();
      diagnostics.checkAll();
    }
  });
  documents.onDidClose(({ document }) => {
    workspace.closed(document.uri);
    if (isEvalFile(document.uri)) {
      diagnostics.forget(document);
      void checkUsers(document.uri);
    } else {
      // What was typed into it and not saved no longer counts.
      workspace.forget();
      diagnostics.checkAll();
    }
  });

  const checkUsers = async (uri: string) => {
    for (const user of await workspace.forgetUsers(uri)) {
      const document = documents.get(user);
      if (document) diagnostics.check(document);
    }
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

/** Publishes the problems of open eval files, also those that stand in the files they use. */
class DiagnosticsPublisher {
  readonly #connection: Connection;
  readonly #documents: TextDocuments<TextDocument>;
  readonly #workspace: Workspace;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** What each eval file last said, by the file that it said it about. */
  readonly #said = new Map<string, ReturnType<typeof diagnosticsByFile>>();

  constructor(
    connection: Connection,
    documents: TextDocuments<TextDocument>,
    workspace: Workspace,
  ) {
    this.#connection = connection;
    this.#documents = documents;
    this.#workspace = workspace;
  }

  checkAll(): void {
    for (const document of this.#documents.all()) {
      if (isEvalFile(document.uri)) this.check(document);
    }
  }

  check({ uri }: TextDocument): void {
    clearTimeout(this.#timers.get(uri));
    this.#timers.set(
      uri,
      setTimeout(() => void this.#publish(uri), DEBOUNCE),
    );
  }

  forget({ uri }: TextDocument): void {
    clearTimeout(this.#timers.get(uri));
    this.#timers.delete(uri);
    const before = this.#said.get(uri);
    this.#said.delete(uri);
    this.#send(before?.keys() ?? []);
  }

  async #publish(uri: string): Promise<void> {
    const document = this.#documents.get(uri);
    if (!document) return;
    const { version } = document;
    try {
      const { suite } = await this.#workspace.document(document);
      // A newer text has come meanwhile, and its check with it.
      if (this.#documents.get(uri)?.version !== version) return;
      const before = this.#said.get(uri);
      const now = diagnosticsByFile(suite.problems);
      this.#said.set(uri, now);
      this.#send(new Set([...(before?.keys() ?? []), ...now.keys(), suite.path]));
    } catch (error) {
      this.#connection.console.error(String(error instanceof Error ? error.stack : error));
    }
  }

  /** A prompt may be used by several eval files: what all of them say about it is shown once. */
  #send(paths: Iterable<string>): void {
    for (const path of paths) {
      const all = [...this.#said.values()].flatMap((files) => files.get(path) ?? []);
      const unique = new Map(all.map((one) => [JSON.stringify(one), one]));
      const uri = this.#documents.all().find((one) => pathOf(one.uri) === path)?.uri ?? uriOf(path);
      const version = this.#documents.get(uri)?.version;
      void this.#connection.sendDiagnostics({
        uri,
        diagnostics: [...unique.values()],
        ...(version !== undefined && { version }),
      });
    }
  }
}
