import * as vscode from 'vscode';
import { SECTION, SETTINGS } from '../../protocol/names.ts';
import { linesOf, serviceVariables } from '../../runner/conversationTraces.ts';
import { DEFAULT_TRACES_PORT } from '../../runner/runOptions.ts';
import { traceSecretFile } from '../../store/traceToken.ts';
import { env, inform, workspaceFolder } from '../workspace.ts';

/** Copies the environment variables that make a service send its spans to this workspace. */
export async function copyTraceVariables(): Promise<void> {
  const folder = await workspaceFolder();
  if (!folder) return;
  const lines = linesOf(await serviceVariables(...traceSetup(folder)));
  await vscode.env.clipboard.writeText(lines);
  inform('Copied the variables. Set them for the service, and restart it.');
}

/** Opens a terminal in which agents send their spans to Turnlight. */
export async function openTraceTerminal(): Promise<void> {
  const folder = await workspaceFolder();
  if (!folder) return;
  const variables = await serviceVariables(...traceSetup(folder));
  vscode.window.createTerminal({ name: 'Traces', cwd: folder, env: variables }).show();
}

/** The file of the secret, the workspace, and the port for traces. */
export function traceSetup(folder: vscode.Uri): [string, string, number] {
  const settings = vscode.workspace.getConfiguration(SECTION, folder);
  const port = settings.get<number>(SETTINGS.tracesPort, DEFAULT_TRACES_PORT);
  return [traceSecretFile(env), folder.fsPath, port];
}
