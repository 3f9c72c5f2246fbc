import * as vscode from 'vscode';

const OPEN = 'Open Folder';

/** The folder that new files go to. Where none is open it says so, and offers to open one. */
export async function workspaceFolder(): Promise<vscode.Uri | undefined> {
  const [first, ...others] = vscode.workspace.workspaceFolders ?? [];
  if (first && others.length === 0) return first.uri;
  if (first) return (await vscode.window.showWorkspaceFolderPick())?.uri;
  const choice = await vscode.window.showInformationMessage(
    'Eval files stand in a folder beside your code. Open the folder first.',
    OPEN,
  );
  if (choice === OPEN) await vscode.commands.executeCommand('vscode.openFolder');
  return undefined;
}

export async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
