import * as vscode from 'vscode';
import { errorText, stackText } from '../../core/errors.ts';
import { noticeText } from '../../core/presentation/editorText.ts';
import {
  type FromResults,
  fromResultsSchema,
  type ResultsTable,
  type ToResults,
} from '../../protocol/resultsProtocol.ts';
import { type FoundCases, type RecordedLine, searchRecords } from '../../store/searchRecords.ts';
import { Disposing } from '../disposables.ts';
import type { RecordFiles } from '../runs/recordFiles.ts';
import { showPage } from '../viewer/page.ts';

/** Milliseconds between two snapshots of a run that goes on. */
const PACE = 500;

export interface TablePageParts {
  readonly extensionUri: vscode.Uri;
  readonly files: RecordFiles;
  readonly log: vscode.LogOutputChannel;
}

export interface TableActions {
  /** Whether a record is of what is shown, so that it is told again once the record changes. */
  readonly isOf: (record: string) => boolean;
  /** Sends what is known now. */
  readonly send: () => Promise<void>;
  readonly act: (message: Exclude<FromResults, { readonly kind: 'ready' }>) => Promise<void>;
}

/** The page with a table of cases in a panel: its messages, and what is asked of any such table. */
export class TablePage extends Disposing {
  readonly #panel: vscode.WebviewPanel;
  readonly #log: vscode.LogOutputChannel;
  readonly #actions: TableActions;
  #ready = false;
  #timer: NodeJS.Timeout | undefined;
  #search = new AbortController();

  constructor(panel: vscode.WebviewPanel, parts: TablePageParts, actions: TableActions) {
    super();
    const { extensionUri, files, log } = parts;
    this.#panel = panel;
    this.#log = log;
    this.#actions = actions;
    this.keep(panel.webview.onDidReceiveMessage((message) => this.#receive(message)));
    this.keep(
      files.onDidChange((path) => {
        if (actions.isOf(path)) this.#later();
      }),
    );
    this.keep(panel);
    showPage(panel.webview, extensionUri, 'results');
  }

  get active(): boolean {
    return this.#panel.active;
  }

  set title(title: string) {
    this.#panel.title = title;
  }

  reveal(): void {
    this.#panel.reveal(undefined, false);
  }

  override dispose(): void {
    clearTimeout(this.#timer);
    this.#search.abort();
    super.dispose();
  }

  async post(message: ToResults): Promise<boolean> {
    return this.#panel.webview.postMessage(message);
  }

  fail(error: unknown): void {
    this.#log.error(stackText(error));
    const text = `The results view failed: ${errorText(error)}`;
    void vscode.window.showErrorMessage(noticeText(text));
  }

  async copy(table: ResultsTable, cases: readonly number[]): Promise<void> {
    const { resultsMarkdown } = await import('../../report/resultsMarkdown.ts');
    await vscode.env.clipboard.writeText(resultsMarkdown(table, cases));
    vscode.window.setStatusBarMessage('Copied as Markdown', 3000);
  }

  /**
   * Looks for a text in these lines, and ends the search before.
   *
   * @param told what the page is told of what was found
   */
  async find(
    places: readonly RecordedLine[],
    { search, text, from }: Extract<FromResults, { readonly kind: 'search' }>,
    told: (found: FoundCases) => FoundCases = (found) => found,
  ): Promise<void> {
    this.#search.abort();
    this.#search = new AbortController();
    const { signal } = this.#search;
    if (text.trim() === '') return;
    for await (const found of searchRecords(places, text.trim(), from, signal)) {
      if (signal.aborted) return;
      const done = found.looked === places.length;
      const { cases, looked } = told(found);
      await this.post({ kind: 'found', search, cases: [...cases], looked, done });
    }
  }

  #later(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#send();
    }, PACE);
  }

  #send(): void {
    if (this.#ready) this.#actions.send().catch((error: unknown) => this.fail(error));
  }

  async #receive(given: unknown): Promise<void> {
    const message = fromResultsSchema.safeParse(given);
    if (!message.success) {
      this.#log.warn('Ignored an invalid message from the results view.');
      return;
    }
    if (message.data.kind === 'ready') {
      this.#ready = true;
      this.#send();
      return;
    }
    await this.#actions.act(message.data).catch((error: unknown) => this.fail(error));
  }
}
