import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { KeyHost } from '../core/environment.ts';
import { Throttle } from '../core/scheduling.ts';
import type { RenamedCase } from '../evalfile/caseRenames.ts';
import type { CaseRenamed } from '../protocol/serverProtocol.ts';
import { Disposing } from './disposables.ts';

/** LSP's `FileChangeType.Changed`. */
const CHANGED = 2;

/** Milliseconds between two notifications about changed records. */
const INTERVAL = 100;

/**
 * Starts the language server when the first eval file is opened. Failures are only logged: runs don't need the server.
 */
export class LanguageSupport extends Disposing {
  readonly #context: vscode.ExtensionContext;
  readonly #keys: KeyHost;
  readonly #log: vscode.LogOutputChannel;
  readonly #renamed = this.keep(new vscode.EventEmitter<CaseRenamed>());
  readonly onDidRenameCase = this.#renamed.event;
  readonly #renames = this.keep(new vscode.EventEmitter<readonly RenamedCase[]>());
  /** Fires before a file shows the new ids of its cases. */
  readonly onWillRenameCases = this.#renames.event;
  #client: Promise<LanguageClient> | undefined;
  /** Written records that the server hasn't been notified of yet. */
  readonly #records = new Set<string>();
  readonly #throttle = this.keep(new Throttle(INTERVAL, () => this.#sendRecords()));

  constructor(context: vscode.ExtensionContext, keys: KeyHost, log: vscode.LogOutputChannel) {
    super();
    this.#context = context;
    this.#keys = keys;
    this.#log = log;
  }

  async start(): Promise<void> {
    try {
      this.#client ??= this.#create();
      await this.#client;
    } catch (error) {
      this.#logError(error);
    }
  }

  /** Restarts the server, or starts it if an earlier start failed. */
  async restart(): Promise<void> {
    const running = await this.#client?.catch(() => undefined);
    if (running) return running.restart().catch((error: unknown) => this.#logError(error));
    this.#client = undefined;
    await this.start();
  }

  /** Notifies a running server of written records. @param paths absolute */
  notifyRecords(paths: readonly string[]): void {
    for (const path of paths) this.#records.add(path);
    this.#throttle.schedule();
  }

  #sendRecords(): void {
    const paths = [...this.#records];
    this.#records.clear();
    void this.#client
      ?.then((client) => {
        const changes = paths.map((path) => ({
          uri: client.code2ProtocolConverter.asUri(vscode.Uri.file(path)),
          type: CHANGED,
        }));
        return client.sendNotification('workspace/didChangeWatchedFiles', { changes });
      })
      .catch((error: unknown) => this.#logError(error));
  }

  #logError(error: unknown): void {
    this.#log.error(`Language server error: ${String(error)}`);
  }

  override dispose(): void {
    void this.#client?.then((client) => client.dispose()).catch(() => {});
    super.dispose();
  }

  async #create(): Promise<LanguageClient> {
    const { startClient } = await import('./startClient.ts');
    const script = this.#context.asAbsolutePath('dist/server.js');
    return startClient(script, this.#keys, this.#renames, this.#renamed, (part) => this.keep(part));
  }
}
