import * as vscode from 'vscode';
import { Throttle } from '../../core/throttle.ts';
import { TRENDS_VIEW_TYPE } from '../../protocol/settings.ts';
import { fromTrendsSchema, type ToTrends } from '../../protocol/trendsProtocol.ts';
import type { ListedRun } from '../../store/runList.ts';
import { type RunTrend, RunTrends } from '../../store/runTrends.ts';
import { receive, tellFailure } from '../pageMessages.ts';
import type { RecordFiles } from '../runs/recordFiles.ts';
import { showPage } from '../viewer/page.ts';
import { trendsSnapshot } from './trendsSnapshot.ts';

export interface TrendsParts {
  readonly extensionUri: vscode.Uri;
  readonly files: RecordFiles;
  readonly log: vscode.LogOutputChannel;
  readonly runs: () => Promise<readonly ListedRun[]>;
  /** Shows the results in these records, absolute. */
  readonly open: (records: readonly string[]) => Promise<void>;
}

/** Milliseconds between two snapshots while a run goes on. */
const PACE = 1_000;

let shown: vscode.WebviewPanel | undefined;

/** Shows how the runs of the workspace went, one after the other. */
export function showTrends(parts: TrendsParts): void {
  if (shown) {
    shown.reveal();
    return;
  }
  const panel = vscode.window.createWebviewPanel(TRENDS_VIEW_TYPE, 'Trends', {
    viewColumn: vscode.ViewColumn.One,
    preserveFocus: false,
  });
  attachTrends(panel, parts);
}

/** Fills a panel, a new one or one that a reload brings back. */
export function attachTrends(
  panel: vscode.WebviewPanel,
  { extensionUri, files, log, runs, open }: TrendsParts,
): void {
  shown = panel;
  const read = new RunTrends();
  let trends: readonly RunTrend[] = [];
  const page = { name: 'view of trends', log };
  const send = async () => {
    trends = await read.of(await runs());
    const message: ToTrends = { kind: 'snapshot', trends: trendsSnapshot(trends) };
    await panel.webview.postMessage(message);
  };
  const throttle = new Throttle(PACE, () => {
    send().catch((error: unknown) => tellFailure(page, error));
  });
  const changed = files.onDidChange(() => throttle.schedule());
  receive(panel.webview, page, fromTrendsSchema, async (message) => {
    if (message.kind === 'ready') return send();
    const records = trends[message.run]?.run.records;
    if (records) await open(records);
  });
  panel.onDidDispose(() => {
    throttle.dispose();
    changed.dispose();
    shown = undefined;
  });
  showPage(panel.webview, extensionUri, 'trends');
}
