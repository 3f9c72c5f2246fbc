import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { errorText } from '../../core/errors.ts';
import { noticeText } from '../../core/text/visibleText.ts';
import type { ListedRun } from '../../store/records/list.ts';
import type { PageParts } from '../pages/webviewPage.ts';
import { askText, reportError, warn } from '../workspace.ts';
import { isListed, runText, runTitle } from './runText.ts';

type SelectedRuns = readonly [ListedRun, ...ListedRun[]];

/** Actions that resolve to whether the list changed. */
const ACTIONS = {
  open: async ([{ records }]: SelectedRuns, parts: PageParts) => {
    await openRun(records, parts);
    return false;
  },
  resume: async ([{ records }]: SelectedRuns, parts: PageParts) => {
    await parts.resume(records);
    return false;
  },
  pin: (chosen: SelectedRuns) => updateNotes(chosen, { pinned: true }),
  unpin: (chosen: SelectedRuns) => updateNotes(chosen, { pinned: false }),
  rename,
  delete: remove,
};

export type RunAction = keyof typeof ACTIONS;

/** @param given the row whose menu was used, followed by all selected rows; empty if a key was pressed */
export async function actOnRuns(
  action: RunAction,
  [given, several]: readonly unknown[],
  parts: PageParts,
): Promise<void> {
  const { runs } = parts;
  const all: readonly unknown[] = Array.isArray(several) ? several : [given];
  const named = all.filter(isListed);
  const [first, ...others] = named.length > 0 ? named : await runs.focusedRuns();
  if (!first) return;
  let hasChanged = true;
  try {
    hasChanged = await ACTIONS[action]([first, ...others], parts);
  } catch (error) {
    reportError(errorText(error));
  }
  if (hasChanged) runs.refresh();
}

async function openRun(records: readonly string[], parts: PageParts): Promise<void> {
  const { openResults } = await import('../results/resultsPage.ts');
  openResults(records, parts);
}

/** @param given a file in the run; default: one that the user picks */
export async function openRunFile(given: unknown, parts: PageParts): Promise<void> {
  const file = given instanceof vscode.Uri ? given : await askForFile();
  if (file) await openRun([file.fsPath], parts);
}

async function updateNotes(
  chosen: readonly ListedRun[],
  change: ListedRun['note'],
): Promise<boolean> {
  const { changeNote } = await import('../../store/records/list.ts');
  for (const run of chosen) await changeNote(run, change);
  return true;
}

async function rename([run]: SelectedRuns): Promise<boolean> {
  const name = await askText({
    title: 'Name of the run',
    value: run.note.name ?? '',
    placeHolder: runTitle({ ...run, note: {} }),
    prompt: 'Leave empty to show the names of its files.',
  });
  return name !== undefined && updateNotes([run], { name: name.trim() || undefined });
}

async function remove(chosen: SelectedRuns): Promise<boolean> {
  const [run, ...others] = chosen;
  const isOne = others.length === 0;
  if (chosen.some(({ state }) => state === 'running')) {
    warn(`${isOne ? 'This run' : 'One of these runs'} is still running. Cancel it first.`);
    return false;
  }
  const asked = isOne ? `Delete the run "${runTitle(run)}"?` : `Delete ${chosen.length} runs?`;
  const records = isOne ? `${runText(run).detail}\n\nIts record will be` : 'Their records will be';
  const choice = await vscode.window.showWarningMessage(
    noticeText(asked),
    { modal: true, detail: `${records} deleted from disk. This can't be undone.` },
    'Delete',
  );
  if (choice !== 'Delete') return false;
  const { deleteRun } = await import('../../store/records/list.ts');
  for (const one of chosen) await deleteRun(one);
  return true;
}

async function askForFile(): Promise<vscode.Uri | undefined> {
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const near = active?.scheme === 'file' ? vscode.Uri.file(dirname(active.fsPath)) : folder;
  const files = await vscode.window.showOpenDialog({
    ...(near && { defaultUri: near }),
    filters: { 'Run records': ['jsonl'] },
    openLabel: 'Open Run',
  });
  return files?.[0];
}
