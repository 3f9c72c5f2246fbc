import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { firstFree } from '../../core/data/data.ts';
import { LIMITS } from '../../core/limits.ts';
import { noticeText } from '../../core/text/visibleText.ts';
import { FileError } from '../../evalfile/files.ts';
import { nodeFiles } from '../../evalfile/nodeFiles.ts';
import { evalFilePaths } from '../../interop/importFile.ts';
import { EVAL_ENDING } from '../../node/paths.ts';

/** Endings of files that importers read. */
export const IMPORTABLE = ['json', 'jsonl', 'ndjson', 'yaml', 'yml', 'csv'] as const;

export function isImportable({ path }: vscode.Uri): boolean {
  return IMPORTABLE.some((ending) => path.endsWith(`.${ending}`));
}

/** As it is on the screen: unsaved text counts before what is on the disk. */
export async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  const open = vscode.workspace.textDocuments.find(
    (one) => one.isDirty && one.uri.toString() === uri.toString(),
  );
  if (open) return open.getText();
  try {
    return await nodeFiles().read(uri.fsPath, LIMITS.imported);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    void vscode.window.showErrorMessage(noticeText(`${nameOf(uri)}: ${error.message}`));
    return undefined;
  }
}

/** `log.eval.yaml`, or the first of `log-2.eval.yaml` and so on that is free. */
export async function freePaths(source: string, count: number): Promise<string[]> {
  const folder = await vscode.workspace.fs.readDirectory(vscode.Uri.file(dirname(source)));
  const taken = new Set(folder.map(([name]) => name));
  const [own = ''] = evalFilePaths(source, 1);
  const stem = own.replace(EVAL_ENDING, '');
  const nameOfPath = (path: string) => path.slice(dirname(path).length + 1);
  const at = (number: number) => (number === 1 ? stem : `${stem}-${number}`);
  const first = firstFree(at, (one) =>
    evalFilePaths(source, count, `${one}.eval.yaml`).some((path) => taken.has(nameOfPath(path))),
  );
  return evalFilePaths(source, count, `${first}.eval.yaml`);
}

export function nameOf(uri: vscode.Uri): string {
  return vscode.workspace.asRelativePath(uri);
}
