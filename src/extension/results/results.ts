import * as vscode from 'vscode';
import { type ResultsState, resultsStateSchema } from '../../protocol/resultsProtocol.ts';
import { RESULTS_VIEW_TYPE } from '../../protocol/settings.ts';
import { ResultsPanel, type ResultsParts } from './panel.ts';

/** The results that are open, one view for each run. */
const panels = new Set<ResultsPanel>();

/** Shows the results of a run, in the view that is open where there is one. @param records absolute */
export function openResults(records: readonly string[], parts: ResultsParts): void {
  const open = [...panels].find((panel) => records.some((record) => panel.isOf(record)));
  if (open) {
    open.reveal();
    return;
  }
  const panel = vscode.window.createWebviewPanel(RESULTS_VIEW_TYPE, 'Results', {
    viewColumn: vscode.ViewColumn.One,
    preserveFocus: false,
  });
  attach(panel, { records: [...records] }, parts);
}

/** The records of the run that is shown in the view with the focus. */
export function activeResults(): readonly string[] | undefined {
  return [...panels].find(({ active }) => active)?.records;
}

/** Brings a view back after a reload; what it shows is read again. */
export function restoreResults(
  panel: vscode.WebviewPanel,
  given: unknown,
  parts: ResultsParts,
): void {
  const state = resultsStateSchema.safeParse(given);
  if (state.success) attach(panel, state.data, parts);
  else panel.dispose();
}

function attach(panel: vscode.WebviewPanel, state: ResultsState, parts: ResultsParts): void {
  const view = new ResultsPanel(panel, state, parts);
  panels.add(view);
  panel.onDidDispose(() => {
    panels.delete(view);
    view.dispose();
  });
}
