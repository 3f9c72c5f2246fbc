import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { errorText } from '../../core/errors.ts';
import { noticeText } from '../../core/presentation/editorText.ts';
import type { ListedRun } from '../../store/runList.ts';
import type { RunsTree } from './runsTree.ts';
import { runTitle } from './runText.ts';

export interface RunCommandParts {
  readonly runs: RunsTree;
  /** Shows the results in these records, absolute. */
  readonly open: (records: readonly string[]) => Promise<void>;
}

/** Commands of the list of runs. */
export function registerRunCommands({ runs, open }: RunCommandParts): vscode.Disposable[] {
  /** On a row's menu its run is given, on a key the one that is selected counts. */
  const onRun = (id: string, act: (run: ListedRun) => Promise<void>) =>
    vscode.commands.registerCommand(id, async (given: unknown) => {
      const run = isListed(given) ? given : runs.selected;
      if (!run) return;
      try {
        await act(run);
      } catch (error) {
        void vscode.window.showErrorMessage(noticeText(errorText(error)));
      }
      runs.refresh();
    });
  return [
    onRun('turnlight.openRun', ({ records }) => open(records)),
    onRun('turnlight.pinRun', (run) => note(run, { pinned: true })),
    onRun('turnlight.unpinRun', (run) => note(run, { pinned: false })),
    onRun('turnlight.renameRun', rename),
    onRun('turnlight.deleteRun', remove),
    vscode.commands.registerCommand('turnlight.openRunFile', async (given: unknown) => {
      const file = given instanceof vscode.Uri ? given : await askForFile();
      if (file) await open([file.fsPath]);
    }),
  ];
}

async function note(run: ListedRun, change: ListedRun['note']): Promise<void> {
  const { changeNote } = await import('../../store/runList.ts');
  await changeNote(run, change);
}

async function rename(run: ListedRun): Promise<void> {
  const name = await vscode.window.showInputBox({
    title: 'Name of the run',
    value: run.note.name ?? '',
    placeHolder: runTitle({ ...run, note: {} }),
    prompt: 'Leave it empty to show the names of its files.',
  });
  if (name === undefined) return;
  await note(run, { name: name.trim() === '' ? undefined : name.trim() });
}

async function remove(run: ListedRun): Promise<void> {
  if (run.state === 'running') {
    void vscode.window.showWarningMessage('This run still goes on. Cancel it first.');
    return;
  }
  const choice = await vscode.window.showWarningMessage(
    noticeText(`Delete the run "${runTitle(run)}"?`),
    { modal: true, detail: 'Its record is deleted from the disk. This cannot be undone.' },
    'Delete',
  );
  if (choice !== 'Delete') return;
  const { deleteRun } = await import('../../store/runList.ts');
  await deleteRun(run);
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

function isListed(value: unknown): value is ListedRun {
  return typeof value === 'object' && value !== null && 'records' in value && 'note' in value;
}
