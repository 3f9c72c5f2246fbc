import type * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { RECORDS_CHANGED } from '../shared/serverProtocol.ts';

/** The language server's client. Loaded and started when the first eval file is on the screen. */
export class LanguageSupport implements vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  #client: Promise<LanguageClient> | undefined;

  constructor(context: vscode.ExtensionContext) {
    this.#context = context;
  }

  async start(): Promise<void> {
    this.#client ??= this.#create();
    await this.#client;
  }

  async restart(): Promise<void> {
    if (this.#client) await (await this.#client).restart();
    else await this.start();
  }

  /** A run wrote to its record: what hovers show has to be read again. */
  async recordsChanged(): Promise<void> {
    if (this.#client) await (await this.#client).sendNotification(RECORDS_CHANGED);
  }

  dispose(): void {
    void this.#client?.then((client) => client.dispose());
  }

  async #create(): Promise<LanguageClient> {
    const { startClient } = await import('./startClient.ts');
    return startClient(this.#context.asAbsolutePath('dist/server.js'));
  }
}
