import * as vscode from 'vscode';

const MANAGE = 'Manage Workspace Trust';

const UNTRUSTED =
  'Running evals starts programs from this workspace, so the workspace must be trusted. Editing features work without.';

/** Says why nothing runs here. @returns whether running is allowed */
export function mayRun(): boolean {
  if (vscode.workspace.isTrusted) return true;
  void vscode.window.showErrorMessage(UNTRUSTED, MANAGE).then((choice) => {
    if (choice === MANAGE) return vscode.commands.executeCommand('workbench.trust.manage');
    return undefined;
  });
  return false;
}
