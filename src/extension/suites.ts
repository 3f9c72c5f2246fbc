import * as vscode from 'vscode';
import type { Files } from '../evalfile/files.ts';
import type { LoadedSuite } from '../evalfile/loadedSuite.ts';
import { EVAL_GLOB, isEvalFile as isEvalFileName } from '../node/paths.ts';
import { SECTION, SETTINGS } from '../protocol/names.ts';
import { workspaceOf } from './locations.ts';

const EXCLUDED = '**/node_modules/**';

export function isEvalFile(uri: vscode.Uri): boolean {
  return uri.scheme === 'file' && isEvalFileName(uri.path);
}

export async function findEvalFiles(): Promise<vscode.Uri[]> {
  return vscode.workspace.findFiles(EVAL_GLOB, EXCLUDED);
}

/** Reads an eval file, and what it refers to, as they are on the screen. */
export async function readSuite(uri: vscode.Uri): Promise<LoadedSuite> {
  const [{ loadSuite }, files] = await Promise.all([
    import('../evalfile/load.ts'),
    filesOnScreen(),
  ]);
  const judge = vscode.workspace.getConfiguration(SECTION, uri).get<string>(SETTINGS.judge);
  const defaultJudge = judge || process.env.TURNLIGHT_JUDGE;
  return loadSuite(uri.fsPath, files, {
    workspace: workspaceOf(uri),
    env: (name) => process.env[name],
    ...(defaultJudge && { defaultJudge }),
  });
}

/** Files as they are on the screen: unsaved text counts before what is on the disk. */
export async function filesOnScreen(): Promise<Files> {
  const [{ nodeFiles }, { overlayFiles }] = await Promise.all([
    import('../evalfile/nodeFiles.ts'),
    import('../evalfile/files.ts'),
  ]);
  const { textDocuments } = vscode.workspace;
  const unsaved = textDocuments.filter(({ isDirty, uri }) => isDirty && uri.scheme === 'file');
  const texts = new Map(unsaved.map((document) => [document.uri.fsPath, document.getText()]));
  return overlayFiles(nodeFiles(), (path) => texts.get(path));
}
