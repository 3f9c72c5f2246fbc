import * as vscode from 'vscode';
import { Throttle } from '../../core/throttle.ts';
import {
  type FromResults,
  fromResultsSchema,
  type ResultsTable,
  type ToResults,
} from '../../protocol/resultsProtocol.ts';
import { type FoundCases, type RecordedLine, searchRecords } from '../../store/searchRecords.ts';
import { Disposing } from '../disposables.ts';
import { type Page, receive, tellFailure } from '../pageMessages.ts';
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
  readonly #page: Page;
  readonly #actions: TableActions;
  #ready = false;
  readonly #throttle = this.keep(new Throttle(PACE, () => this.#send()));
  #search = new AbortController();

  constructor(panel: vscode.WebviewPanel, parts: TablePageParts, actions: TableActions) {
    super();
    const { extensionUri, files, log } = parts;
    this.#panel = panel;
    this.#page = { name: 'results view', log };
    this.#actions = actions;
    const { webview } = panel;
    this.keep(receive(webview, this.#page, fromResultsSchema, (message) => this.#act(message)));
    this.keep(
      files.onDidChange((path) => {
        if (actions.isOf(path)) this.#throttle.schedule();
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
    this.#search.abort();
    super.dispose();
  }

  async post(message: ToResults): Promise<boolean> {
    return this.#panel.webview.postMessage(message);
  }

  fail(error: unknown): void {
    tellFailure(this.#page, error);
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

  #send(): void {
    if (this.#ready) this.#actions.send().catch((error: unknown) => this.fail(error));
  }

  async #act(message: FromResults): Promise<void> {
    if (message.kind !== 'ready') return this.#actions.act(message);
    this.#ready = true;
    this.#send();
  }
}
