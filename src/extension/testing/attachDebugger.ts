import * as vscode from 'vscode';

/**
 * Attaches VS Code's JavaScript debugger to a program on this machine that waits for it.
 *
 * @param folder whose settings of the debugger count
 */
export async function attachDebugger(
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
