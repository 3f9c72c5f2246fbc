import * as vscode from 'vscode';
import { noticeText } from '../../core/text/visibleText.ts';
import { rootOfRecord } from '../../node/paths.ts';
import { runIdOf } from '../../store/records/files.ts';
import type { ListedRun } from '../../store/records/list.ts';
import type { PageParts } from '../pages/webviewPage.ts';
import { activeRecords } from '../results/tablePage.ts';
import { isListed, runText } from '../runs/runText.ts';
import { ComparisonPage, openComparison } from './comparisonPage.ts';
import { PairPage, type PairState } from './pairPage.ts';
import type { RunPair } from './runPair.ts';

type Records = readonly string[];

/** Asks for a run, and compares another one with it: the one in these records. */
export async function compareWith(records: Records, parts: PageParts): Promise<void> {
  const other = await pickRun(await parts.runs.all(), 'Compare with…', records);
  if (other) await compare(records, other.records, parts);
}

/** @param given the run of a row; by default the one that is shown or has the focus, or else one that is asked for */
export async function compareRun(given: unknown, parts: PageParts): Promise<void> {
  const { runs } = parts;
  const chosen = isListed(given) ? given.records : (activeRecords() ?? runs.focused?.records);
  const records = chosen ?? (await pickRun(await runs.all(), 'Compare a run', []))?.records;
  if (records) await compareWith(records, parts);
}

/** @param given the selected rows; those of the list by default */
export async function compareSelected(given: unknown, parts: PageParts): Promise<void> {
  const selected: readonly unknown[] = Array.isArray(given) ? given : parts.runs.selection;
  const [one, other, ...more] = selected.filter(isListed);
  if (one && other && more.length === 0) await compare(one.records, other.records, parts);
  else void vscode.window.showInformationMessage('Select two runs to compare them.');
}

/** Brings the table of two runs back after a reload. */
export function restoreComparison(
  panel: vscode.WebviewPanel,
  pair: RunPair,
  parts: PageParts,
): void {
  new ComparisonPage(panel, pair, parts);
}

/** Brings back the conversations of a case in two runs after a reload. */
export function restorePair(panel: vscode.WebviewPanel, state: PairState, parts: PageParts): void {
  new PairPage(panel, state, parts);
}

/** The one that began first is the first. */
async function compare(one: Records, other: Records, parts: PageParts): Promise<void> {
  const [first, second] = [await startedOf(one), await startedOf(other)];
  openComparison(second < first ? { base: other, head: one } : { base: one, head: other }, parts);
}

async function startedOf([record = '']: Records): Promise<string> {
  const { readRunLine } = await import('../../store/records/runRecord.ts');
  return (await readRunLine(record, rootOfRecord(record)))?.started ?? '';
}

/** @param chosen the records of a run that is left out */
async function pickRun(
  all: readonly ListedRun[],
  title: string,
  chosen: Records,
): Promise<ListedRun | undefined> {
  const ids = new Set(chosen.map(runIdOf));
  const others = all.filter(({ id }) => !ids.has(id));
  if (others.length === 0) {
    const words =
      ids.size === 0 ? 'There is no run yet.' : 'There is no other run to compare with.';
    void vscode.window.showInformationMessage(noticeText(words));
    return undefined;
  }
  const items = others.map((run) => {
    const { label, detail } = runText(run);
    return { label, description: detail, run };
  });
  const picked = await vscode.window.showQuickPick(items, { title, matchOnDescription: true });
  return picked?.run;
}
