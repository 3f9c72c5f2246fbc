import type * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

/**
 * The language server's client. Loaded and started when the first eval file is on the screen. Runs
 * go on without it: what fails here is logged and no more.
 */
export class LanguageSupport implements vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #log: vscode.LogOutputChannel;
  #client: Promise<LanguageClient> | undefined;

  constructor(context: vscode.ExtensionContext, log: vscode.LogOutputChannel) {
    this.#context = context;
    this.#log = log;
  }

  async start(): Promise<void> {
    await this.#use(async () => {});
  }

  /** Also starts a server that never came up. */
  async restart(): Promise<void> {
    const running = await this.#client?.catch(() => undefined);
    if (!running) this.#client = undefined;
    await this.#use((client) => (client === running ? client.restart() : undefined));
  }

  dispose(): void {
    void this.#client?.then((client) => client.dispose()).catch(() => {});
  }

  async #use(work: (client: LanguageClient) => Promise<void> | undefined): Promise<void> {
    try {
      this.#client ??= this.#create();
      await work(await this.#client);
    } catch (error) {
      this.#log.error(`The language server: ${String(error)}`);
    }
  }

  async #create(): Promise<LanguageClient> {
    const { startClient } = await import('./startClient.ts');
    return startClient(this.#context.asAbsolutePath('dist/server.js'));
  }
}
