import type { CodeAction, Diagnostic, TextEdit } from 'vscode-languageserver-types';
import { addKeys, replaceText } from '../../../yaml/edits.ts';
import { parseYaml, type YamlDocument } from '../../../yaml/yamlDocument.ts';
import { dataOf, editsIn, quickFix } from './actions.ts';

/** The one most likely meant first, then the others that are near. */
export function didYouMean(uri: string, yaml: YamlDocument, diagnostic: Diagnostic): CodeAction[] {
  const { replacement, fix = {} } = dataOf(diagnostic) ?? {};
  const first = replacement === undefined ? [] : [replacement];
  return [...first, ...(fix.alternatives ?? [])].map((text, index) => {
    const edits: TextEdit[] = [replaceText(yaml, diagnostic.range, text)];
    const added = fix.beside && index === 0 && addKeys(yaml, fix.beside.to, fix.beside.keys);
    if (added) edits.push(added);
    const beside = Object.entries((added && fix.beside?.keys) ?? {});
    const more = beside.map(([key, value]) => ` with ${key}: ${value}`).join('');
    return quickFix(`Change to "${text}"${more}`, diagnostic, editsIn(uri, edits), index === 0);
  });
}

/** As `didYouMean`, in a file that is no eval file, such as a judge prompt or a transcript. */
export function didYouMeanIn(uri: string, text: string, diagnostic: Diagnostic): CodeAction[] {
  return didYouMean(uri, parseYaml(text, ''), diagnostic);
}
