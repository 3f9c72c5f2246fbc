import type * as vscode from 'vscode';
import { trendsProtocol } from '../../protocol/trendsProtocol.ts';
import { type RunTrend, RunTrends } from '../../store/records/trends.ts';
import {
  createPanel,
  type PageActions,
  type PageParts,
  revealPage,
  WebviewPage,
} from '../pages/webviewPage.ts';
import { trendsSnapshot } from './trendsSnapshot.ts';

/** Milliseconds between two snapshots of an active run. */
const INTERVAL = 1_000;

export function openTrends(parts: PageParts): void {
  if (!revealPage(TrendsPage)) new TrendsPage(createPanel('trends'), parts);
}

export class TrendsPage extends WebviewPage<typeof trendsProtocol> {
  readonly #read = new RunTrends();
  #trends: readonly RunTrend[] = [];

  constructor(panel: vscode.WebviewPanel, parts: PageParts) {
    super(panel, 'trends', trendsProtocol, INTERVAL, parts);
    this.keep(parts.files.onDidChange(() => this.refresh()));
    // A restored page may be ready before the records are found.
    this.keep(parts.files.onDidFindRoot(() => this.refresh()));
  }

  protected async show(): Promise<void> {
    this.#trends = await this.#read.of(await this.parts.runs.all());
    await this.post({ kind: 'snapshot', trends: trendsSnapshot(this.#trends) });
  }

  protected readonly actions: PageActions<typeof trendsProtocol> = {
    open: async ({ run }) => {
      const records = this.#trends[run]?.run.records;
      if (!records) return;
      const { openResults } = await import('../results/resultsPage.ts');
      openResults(records, this.parts);
    },
  };
}
