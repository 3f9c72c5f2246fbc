import * as vscode from 'vscode';
import { type ResultsState, resultsStateSchema } from '../../protocol/resultsProtocol.ts';
import { RESULTS_VIEW_TYPE, VIEW_TYPE } from '../../protocol/settings.ts';
import { viewStateSchema } from '../../protocol/viewProtocol.ts';
import { rootsOf } from '../results/panel.ts';
import { ComparedRuns, type PlacedCase } from './comparedRuns.ts';
import { ComparisonPanel, type ComparisonParts } from './comparisonPanel.ts';
import { PairPanel, type PairParts, type PairState } from './pairPanel.ts';
import { pairKey, type RunPair } from './runPair.ts';

export type ComparisonsParts = Omit<ComparisonParts, 'openPair'> & PairParts;

/** The comparisons that are open: at most one table and one conversation view of each, which share what was read. */
const tables = new Map<string, ComparisonPanel>();
const pairs = new Map<string, PairPanel>();
const read = new Map<string, Promise<ComparedRuns>>();

/** Whether what a view kept over a reload is of a comparison. */
export function isComparison(kept: unknown): kept is ResultsState {
  return resultsStateSchema.safeParse(kept).data?.base !== undefined;
}

/** The same of a conversation view. */
export function isPair(kept: unknown): kept is PairState {
  return viewStateSchema.safeParse(kept).data?.compared !== undefined;
}

/** Compares two runs, in the view that is open where there is one. */
export function openComparison(pair: RunPair, parts: ComparisonsParts): void {
  const open = tables.get(pairKey(pair));
  if (open) {
    open.reveal();
    return;
  }
  const panel = vscode.window.createWebviewPanel(RESULTS_VIEW_TYPE, 'Comparison', {
    viewColumn: vscode.ViewColumn.One,
    preserveFocus: false,
  });
  showComparison(panel, { base: [...pair.base], records: [...pair.head] }, parts);
}

/** The records of the second run of the comparison that has the focus. */
export function activeComparison(): readonly string[] | undefined {
  return [...tables.values()].find(({ active }) => active)?.records;
}

/** Shows the table in a panel, a new one or one that is brought back. @param state with a `base` */
export function showComparison(
  panel: vscode.WebviewPanel,
  state: ResultsState,
  parts: ComparisonsParts,
): void {
  const pair = { base: state.base ?? state.records, head: state.records };
  const view = new ComparisonPanel(panel, state, runsOf(pair), {
    ...parts,
    openPair: (own, shown, turn) => openPair(own, shown, turn, parts),
  });
  attach(tables, pair, view, panel);
}

/** Shows a case of two runs in a panel that is brought back. */
export function restorePair(panel: vscode.WebviewPanel, state: PairState, parts: PairParts): void {
  const pair = state.compared;
  attach(pairs, pair, new PairPanel(panel, state, runsOf(pair), parts), panel);
}

function openPair(
  pair: RunPair,
  { base, head }: PlacedCase,
  turn: number | undefined,
  parts: PairParts,
): void {
  const place = head[0] ?? base[0];
  if (!place) return;
  const open = pairs.get(pairKey(pair));
  if (open) {
    open.show(place, turn);
    return;
  }
  // Two conversations want the width of a whole column.
  const viewColumn = [...pairs.values()].at(-1)?.viewColumn ?? vscode.ViewColumn.Active;
  const panel = vscode.window.createWebviewPanel(VIEW_TYPE, 'Comparison', {
    viewColumn,
    preserveFocus: false,
  });
  const state: PairState = {
    file: vscode.Uri.file(place.suite).toString(),
    id: place.id,
    repetition: 1,
    compared: { base: [...pair.base], head: [...pair.head] },
  };
  restorePair(panel, state, parts);
  pairs.get(pairKey(pair))?.show(place, turn);
}

function runsOf(pair: RunPair): Promise<ComparedRuns> {
  const key = pairKey(pair);
  const known = read.get(key) ?? openRuns(pair);
  read.set(key, known);
  return known;
}

async function openRuns({ base, head }: RunPair): Promise<ComparedRuns> {
  return new ComparedRuns(await rootsOf(base), await rootsOf(head));
}

/** What was read of two runs is kept as long as a view shows them. */
function attach<View extends vscode.Disposable>(
  views: Map<string, View>,
  pair: RunPair,
  view: View,
  panel: vscode.WebviewPanel,
): void {
  const key = pairKey(pair);
  views.set(key, view);
  panel.onDidDispose(() => {
    if (views.get(key) === view) views.delete(key);
    view.dispose();
    if (!tables.has(key) && !pairs.has(key)) read.delete(key);
  });
}
