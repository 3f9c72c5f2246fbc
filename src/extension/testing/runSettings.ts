import * as vscode from 'vscode';
import type { Suite } from '../../core/suite.ts';
import { SECTION, SETTINGS } from '../../protocol/names.ts';
import {
  DEFAULT_CONCURRENCY,
  DEFAULT_TIMEOUT,
  DEFAULT_TRACES_PORT,
  type RunOptions,
} from '../../runner/runOptions.ts';
import { answersFolder } from '../../store/answers.ts';
import { traceSecretFile } from '../../store/traceToken.ts';
import { warn } from '../workspace.ts';
import { countSetting } from './countSetting.ts';

/** @param fresh ignores cached answers @param debugged attaches the debugger, and runs one conversation at a time */
export function runSettings(
  suites: readonly Suite[],
  env: RunOptions['env'],
  { fresh = false, debugged = false }: { readonly fresh?: boolean; readonly debugged?: boolean },
) {
  const uris = suites.map(({ path }) => vscode.Uri.file(path));
  const folders = new Set(uris.map((uri) => vscode.workspace.getWorkspaceFolder(uri)));
  const [folder] = folders;
  // If the files are in several folders, the workspace's settings apply.
  const scope = folders.size === 1 ? uris[0] : null;
  const settings = vscode.workspace.getConfiguration(SECTION, scope);
  const count = (name: Parameters<typeof countSetting>[0], byDefault: number) =>
    countSetting(name, settings.get(name, byDefault), byDefault, warn);
  const maxCost = settings.get<number | null>(SETTINGS.maxCost, null);
  return {
    concurrency: debugged ? 1 : count(SETTINGS.concurrency, DEFAULT_CONCURRENCY),
    timeout: count(SETTINGS.timeout, DEFAULT_TIMEOUT),
    ...(maxCost !== null && { maxCost }),
    tracesPort: count(SETTINGS.tracesPort, DEFAULT_TRACES_PORT),
    traceSecretFile: traceSecretFile(env),
    answersFolder: answersFolder(env),
    ...(settings.get<boolean>(SETTINGS.cache, true) && {
      cache: { folder: answersFolder(env), fresh: fresh || debugged },
    }),
    ...(debugged && { attach: (port: number) => attachDebugger(port, folder) }),
    described: { from: 'editor', ...(maxCost !== null && { max_cost: maxCost }) },
  } satisfies Partial<RunOptions>;
}

/**
 * Attaches VS Code's JavaScript debugger to a waiting local program.
 *
 * @param folder the folder whose debugger settings apply
 */
async function attachDebugger(
  port: number,
  folder: vscode.WorkspaceFolder | undefined,
): Promise<void> {
  const began = await vscode.debug.startDebugging(folder, {
    type: 'node',
    request: 'attach',
    name: 'Turnlight',
    address: '127.0.0.1',
    port,
    continueOnAttach: true,
    skipFiles: ['<node_internals>/**', '**/module-host.js'],
  });
  if (!began) throw new Error('VS Code did not start its JavaScript debugger.');
}
