import type { CodeAction, Diagnostic } from 'vscode-languageserver-types';
import { removeEntry, removeKeyAt } from '../../../yaml/removeEntry.ts';
import type { YamlDocument } from '../../../yaml/yamlDocument.ts';
import { dataOf, editsIn, quickFix } from './actions.ts';

/** Takes out a key that is unknown or has no effect, or a name that nothing uses. */
export function remove(uri: string, yaml: YamlDocument, diagnostic: Diagnostic): CodeAction[] {
  if (diagnostic.source === 'turnlight' && diagnostic.code === 'duplicate-key') {
    return removeSecond(uri, yaml, diagnostic);
  }
  const path = dataOf(diagnostic)?.fix?.remove;
  const edit = path && removeEntry(yaml, path);
  if (!edit) return [];
  const last = path.at(-1);
  const what = typeof last === 'number' ? 'this entry' : `"${last}"`;
  return [quickFix(`Remove ${what}`, diagnostic, editsIn(uri, [edit]))];
}

/** Of two keys of a name the one that is told; the editor shows both. */
function removeSecond(uri: string, yaml: YamlDocument, diagnostic: Diagnostic): CodeAction[] {
  const start = yaml.offsetAt(diagnostic.range.start);
  const edit = removeKeyAt(yaml, start);
  if (!edit) return [];
  const key = yaml.text.slice(start, yaml.offsetAt(diagnostic.range.end));
  return [quickFix(`Remove this second ${key}`, diagnostic, editsIn(uri, [edit]))];
}
