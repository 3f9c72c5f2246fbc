import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { errorText } from '../../core/errors.ts';
import { noticeText } from '../../core/presentation/editorText.ts';
import type { ListedRun } from '../../store/records/list.ts';
import type { RunsTree } from './runsTree.ts';
import { runText, runTitle } from './runText.ts';

export interface RunCommandParts {
  readonly runs: RunsTree;
  /** Shows the results in these records, absolute. */
  readonly open: (records: readonly string[]) => Promise<void>;
}

/** Commands of the list of runs. */
export function registerRunCommands({ runs, open }: RunCommandParts): vscode.Disposable[] {
  /**
   * On a row's menu its run is given and all that are selected with it, on a key nothing.
   *
   * @param act resolves to whether the list is another one now
   */
  const onRuns = (
    id: string,
    act: (chosen: readonly [ListedRun, ...ListedRun[]]) => Promise<boolean>,
  ) =>
    vscode.commands.registerCommand(id, async (given: unknown, several: unknown) => {
      const all: readonly unknown[] = Array.isArray(several) ? several : [given];
      const named = all.filter(isListed);
      const [first, ...others] = named.length > 0 ? named : await runs.atKey();
      if (!first) return;
      let isOther = true;
      try {
        isOther = await act([first, ...others]);
      } catch (error) {
        void vscode.window.showErrorMessage(noticeText(errorText(error)));
      }
      if (isOther) runs.refresh();
    });
  return [
    onRuns('turnlight.openRun', async ([{ records }]) => {
      await open(records);
      return false;
    }),
    onRuns('turnlight.pinRun', (chosen) => noteAll(chosen, { pinned: true })),
    onRuns('turnlight.unpinRun', (chosen) => noteAll(chosen, { pinned: false })),
    onRuns('turnlight.renameRun', ([run]) => rename(run)),
    onRuns('turnlight.deleteRun', remove),
    vscode.commands.registerCommand('turnlight.openRunFile', async (given: unknown) => {
      const file = given instanceof vscode.Uri ? given : await askForFile();
      if (file) await open([file.fsPath]);
    }),
  ];
}

async function noteAll(chosen: readonly ListedRun[], change: ListedRun['note']): Promise<boolean> {
  for (const run of chosen) await note(run, change);
  return true;
}

async function note(run: ListedRun, change: ListedRun['note']): Promise<void> {
  const { changeNote } = await import('../../store/records/list.ts');
  await changeNote(run, change);
}

async function rename(run: ListedRun): Promise<boolean> {
  const name = await vscode.window.showInputBox({
    title: 'Name of the run',
    value: run.note.name ?? '',
    placeHolder: runTitle({ ...run, note: {} }),
    prompt: 'Leave it empty to show the names of its files.',
  });
  if (name === undefined) return false;
  await note(run, { name: name.trim() === '' ? undefined : name.trim() });
  return true;
}

async function remove(chosen: readonly [ListedRun, ...ListedRun[]]): Promise<boolean> {
  const [run, ...others] = chosen;
  const isOne = others.length === 0;
  if (chosen.some(({ state }) => state === 'running')) {
    const which = isOne ? 'This run' : 'One of these runs';
    void vscode.window.showWarningMessage(`${which} still goes on. Cancel it first.`);
    return false;
  }
  const asked = isOne ? `Delete the run "${runTitle(run)}"?` : `Delete ${chosen.length} runs?`;
  const records = isOne ? `${runText(run).detail}\n\nIts record is` : 'Their records are';
  const choice = await vscode.window.showWarningMessage(
    noticeText(asked),
    { modal: true, detail: `${records} deleted from the disk. This cannot be undone.` },
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
  const [file] =
    (await vscode.window.showOpenDialog({
      ...(near && { defaultUri: near }),
      filters: { 'Run records': ['jsonl'] },
      openLabel: 'Open Run',
    })) ?? [];
  return file;
}

export function isListed(value: unknown): value is ListedRun {
  return typeof value === 'object' && value !== null && 'records' in value && 'note' in value;
}
