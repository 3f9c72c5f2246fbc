import * as vscode from 'vscode';
import {
  type FromResults,
  type ResultsTable,
  resultsProtocol,
  type ToResults,
} from '../../protocol/resultsProtocol.ts';
import type { RecordedLine } from '../../store/records/parseLine.ts';
import { type FoundCases, searchRecords } from '../../store/records/search.ts';
import { openPages, type PageParts, WebviewPage } from '../pages/webviewPage.ts';

/** Milliseconds between two snapshots of an active run. */
const INTERVAL = 500;

/** Milliseconds to read records before showing partial results. */
const EARLY_AFTER = 150;

/** A page with a table of cases from one run, or from two compared runs. */
export abstract class TablePage extends WebviewPage<typeof resultsProtocol> {
  /** Absolute paths of the visible run's records; if two runs are compared, of the second run's records. */
  abstract readonly records: readonly string[];
  #search = new AbortController();

  constructor(panel: vscode.WebviewPanel, parts: PageParts) {
    super(panel, 'results', resultsProtocol, INTERVAL, parts);
    this.keep(
      parts.files.onDidChange((path) => {
        if (this.isOf(path)) this.refresh();
      }),
    );
  }

  /** Whether the page shows the run of a record. */
  abstract isOf(record: string): boolean;

  override dispose(): void {
    this.#search.abort();
    super.dispose();
  }

  /** Waits for reading to finish. Shows partial results if that takes a while. */
  protected async showEarly(
    reading: Promise<void>,
    known: () => Promise<ToResults>,
  ): Promise<void> {
    let isRead = false;
    const show = async () => {
      const message = await known();
      if (!isRead) await this.post(message);
    };
    const timer = setTimeout(() => {
      show().catch((error: unknown) => this.report(error));
    }, EARLY_AFTER);
    await reading.finally(() => {
      isRead = true;
      clearTimeout(timer);
    });
  }

  protected async copy(table: ResultsTable, cases: readonly number[]): Promise<void> {
    const { resultsMarkdown } = await import('../../report/resultsTable.ts');
    await vscode.env.clipboard.writeText(resultsMarkdown(table, cases));
    vscode.window.setStatusBarMessage('Copied as Markdown', 3000);
  }

  /** Stops the previous search and searches these lines. @param convert maps found executions to rows */
  protected async find(
    places: readonly RecordedLine[],
    { search, text, from }: Extract<FromResults, { readonly kind: 'search' }>,
    convert: (found: FoundCases) => FoundCases,
  ): Promise<void> {
    this.#search.abort();
    this.#search = new AbortController();
    const { signal } = this.#search;
    if (text.trim() === '') return;
    for await (const found of searchRecords(places, text.trim(), from, signal)) {
      if (signal.aborted) return;
      const done = found.looked === places.length;
      const { cases, looked } = convert(found);
      await this.post({ kind: 'found', search, cases: [...cases], looked, done });
    }
  }
}

/** The records of the focused table's run. */
export function activeRecords(): readonly string[] | undefined {
  return openPages(TablePage).find(({ active }) => active)?.records;
}
