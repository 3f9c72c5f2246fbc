import * as vscode from 'vscode';
import type { Suite } from '../../core/suite.ts';
import { SECTION, SETTINGS } from '../../protocol/settings.ts';
import type { RunOptions } from '../../runner/runOptions.ts';
import { answersFolder } from '../../store/answersFolder.ts';

/** @param fresh asks models anew, also what earlier runs asked */
export function runSettings(
  suites: readonly Suite[],
  env: RunOptions['env'],
  fresh: boolean,
): Pick<RunOptions, 'concurrency' | 'timeout' | 'maxCost' | 'cache' | 'described'> {
  const settings = settingsOf(suites.map(({ path }) => vscode.Uri.file(path)));
  const maxCost = settings.get<number | null>(SETTINGS.maxCost, null);
  return {
    concurrency: settings.get<number>(SETTINGS.concurrency, 4),
    timeout: settings.get<number>(SETTINGS.timeout, 60_000),
    ...(maxCost !== null && { maxCost }),
    ...(settings.get<boolean>(SETTINGS.cache, true) && {
      cache: { folder: answersFolder(env), fresh },
    }),
    described: { from: 'editor', ...(maxCost !== null && { max_cost: maxCost }) },
  };
}

/** Of the folder that the files are in; of the workspace where they are in several folders. */
function settingsOf(uris: readonly vscode.Uri[]): vscode.WorkspaceConfiguration {
  const folders = new Set(uris.map((uri) => vscode.workspace.getWorkspaceFolder(uri)));
  return vscode.workspace.getConfiguration(SECTION, folders.size === 1 ? uris[0] : null);
}
