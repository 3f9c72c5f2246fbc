import type { CodeAction, Diagnostic } from 'vscode-languageserver-types';
import type { YamlDocument } from '../../../evalfile/yamlDocument.ts';
import { dataOf, editsIn, quickFix } from './actions.ts';
import { removeEntry } from './yamlEdits.ts';

/** Takes out a key that is unknown or has no effect, or a name that nothing uses. */
export function remove(uri: string, yaml: YamlDocument, diagnostic: Diagnostic): CodeAction[] {
  const path = dataOf(diagnostic)?.fix?.remove;
  const edit = path && removeEntry(yaml, path);
  if (!edit) return [];
  return [quickFix(`Remove "${path.at(-1)}"`, diagnostic, editsIn(uri, [edit]))];
}
