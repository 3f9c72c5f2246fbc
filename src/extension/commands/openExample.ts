import * as vscode from 'vscode';
import { exists, workspaceFolder } from './workspaceFolder.ts';

const NAME = 'turnlight-example';
const FILE = 'shopfast.eval.yaml';

/**
 * Puts an example into the workspace, unless it is there already, and opens it. It runs from a
 * recording, so without a key. @param extension the folder of the extension
 */
export async function openExample(extension: vscode.Uri): Promise<void> {
  const folder = await workspaceFolder();
  if (!folder) return;
  const example = vscode.Uri.joinPath(folder, NAME);
  const source = vscode.Uri.joinPath(extension, 'examples/shopfast');
  if (!(await exists(example))) await vscode.workspace.fs.copy(source, example);
  await vscode.window.showTextDocument(vscode.Uri.joinPath(example, FILE), { preview: false });
}
