import { createWriteStream } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as vscode from 'vscode';
import { noticeText } from '../../core/text/visibleText.ts';
import { REPORTERS } from '../../report/registry.ts';
import { RunLog } from '../../report/reporter.ts';
import { dataFoldersBelowOneRoot, findDataFolders } from '../../store/dataFolder.ts';
import { placedFile } from '../workspace.ts';
import type { RunResults } from './runResults.ts';

const FORMATS = { csv: 'CSV', html: 'HTML report' } as const;

/** Writes a run in a reporter's format to a file that the user picks. */
export async function exportRun(results: RunResults, format: 'csv' | 'html'): Promise<void> {
  const [record = 'run.jsonl'] = results.paths;
  const stem = basename(record, '.jsonl');
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? dirname(record);
  const chosen = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.file(join(folder, `${stem}.${format}`)),
    filters: { [FORMATS[format]]: [format] },
    saveLabel: 'Export',
  });
  if (!chosen) return;
  const progress = {
    location: vscode.ProgressLocation.Notification,
    title: `Exporting ${basename(chosen.fsPath)}`,
    cancellable: true,
  };
  const written = await vscode.window.withProgress(progress, async (report, token) => {
    const log = await logOf(results, token, (share) => report.report({ increment: share * 100 }));
    if (!log) return false;
    const write = await REPORTERS[format].load();
    await pipeline(Readable.from(write(log, folder)), createWriteStream(chosen.fsPath));
    return true;
  });
  if (!written) return;
  const open = 'Open';
  const done = noticeText(`Exported ${basename(chosen.fsPath)}.`);
  const choice = await vscode.window.showInformationMessage(done, open);
  if (choice !== open) return;
  if (format === 'csv') await vscode.window.showTextDocument(chosen);
  else await vscode.env.openExternal(chosen);
}

/** Number of lines to read at once. */
const BATCH_SIZE = 100;

/**
 * The run in the form that reporters expect; undefined if the user canceled.
 *
 * @param onStep called with each step's share of the total
 */
async function logOf(
  results: RunResults,
  token: vscode.CancellationToken,
  onStep: (share: number) => void,
): Promise<RunLog | undefined> {
  const { places, run, ends, paths } = results;
  const log = new RunLog();
  if (run) {
    const suites = [...new Set(places.map(({ suite }) => suite))];
    const dataFolders = dataFoldersBelowOneRoot(
      findDataFolders(suites.map((path) => placedFile(vscode.Uri.file(path)))),
    );
    log.add({ kind: 'run-started', run, cases: places, dataFolders, records: paths });
  }
  for (let at = 0; at < places.length; at += BATCH_SIZE) {
    if (token.isCancellationRequested) return undefined;
    for (const line of (await results.lines(places.slice(at, at + BATCH_SIZE))).values()) {
      log.add({ kind: 'case-finished', ref: line, line, earlier: true });
    }
    onStep(BATCH_SIZE / places.length);
  }
  const [end] = ends;
  if (end) log.add({ kind: 'run-finished', end });
  return log;
}
