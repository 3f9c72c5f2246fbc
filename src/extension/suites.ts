import * as vscode from 'vscode';
import type { LoadedSuite } from '../evalfile/loadedSuite.ts';
import { EVAL_GLOB, isEvalFile as isEvalFileName } from '../protocol/fileNames.ts';
import { SECTION, SETTINGS } from '../protocol/settings.ts';
import { workspaceOf } from './locations.ts';

const EXCLUDED = '**/node_modules/**';

export function isEvalFile(uri: vscode.Uri): boolean {
  return uri.scheme === 'file' && isEvalFileName(uri.path);
}

export async function findEvalFiles(): Promise<vscode.Uri[]> {
  return vscode.workspace.findFiles(EVAL_GLOB, EXCLUDED);
}

/** Reads an eval file as it is on the screen: unsaved text counts before what is on the disk. */
export async function readSuite(uri: vscode.Uri): Promise<LoadedSuite> {
  const [{ loadSuite }, { nodeFiles }, { overlayFiles }] = await Promise.all([
    import('../evalfile/load.ts'),
    import('../evalfile/nodeFiles.ts'),
    import('../evalfile/files.ts'),
  ]);
  const texts = new Map(
    vscode.workspace.textDocuments
      .filter(({ isDirty, uri: { scheme } }) => isDirty && scheme === 'file')
      .map((document) => [document.uri.fsPath, document.getText()]),
  );
  const judge = vscode.workspace.getConfiguration(SECTION, uri).get<string>(SETTINGS.judge);
  const defaultJudge = judge || process.env.TURNLIGHT_JUDGE;
  return loadSuite(
    uri.fsPath,
    overlayFiles(nodeFiles(), (path) => texts.get(path)),
    {
      workspace: workspaceOf(uri),
      env: (name) => process.env[name],
      ...(defaultJudge && { defaultJudge }),
    },
  );
}
