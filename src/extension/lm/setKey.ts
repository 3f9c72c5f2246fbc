import * as vscode from 'vscode';
import { labelText } from '../../core/text/visibleText.ts';
import type { Secrets } from '../secrets.ts';
import { findEvalFiles, isEvalFile, readSuite } from '../suites.ts';

/** Asks for a key: one that models of the open file need, where it needs any, or another. */
export async function setKey(secrets: Secrets): Promise<void> {
  // A key is tried with the model that needs it, and nothing is asked for an untrusted workspace.
  const needed = vscode.workspace.isTrusted ? await neededHere(secrets) : [];
  if (needed.length === 0) {
    await secrets.ask();
    return;
  }
  const items = needed.map((wanted) => ({
    label: wanted.variable,
    description: labelText(`${wanted.isSet ? 'set' : 'not set'}, needed by ${wanted.model.id}`),
    wanted,
  }));
  const another = { label: 'Another Key…', wanted: undefined };
  const picked = await vscode.window.showQuickPick([...items, another], {
    title: 'Turnlight: API key',
    placeHolder: 'Which key?',
    ignoreFocusOut: true,
  });
  if (picked) await secrets.ask(picked.wanted);
}

/** The keys that the eval file in the active editor needs; of another file, those of the eval files that use it. */
async function neededHere({ keys }: Secrets) {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== 'file') return [];
  const files = isEvalFile(uri) ? [uri] : await findEvalFiles();
  const read = await Promise.all(files.map(readSuite));
  const own = read.filter(
    ({ path, dependencies }) => path === uri.fsPath || dependencies.includes(uri.fsPath),
  );
  const { neededKeys } = await import('../../runner/models.ts');
  return neededKeys(
    own.flatMap(({ suite }) => suite?.cases ?? []),
    keys,
  );
}
