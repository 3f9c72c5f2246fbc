import type { CodeAction, Diagnostic, TextEdit } from 'vscode-languageserver-types';
import { parseYaml, type YamlDocument } from '../../../yaml/yamlDocument.ts';
import { addKeys, scalar } from '../../../yaml/yamlEdits.ts';
import { dataOf, editsIn, quickFix } from './actions.ts';

/** The one most likely meant first, then the others that are near. */
export function didYouMean(uri: string, yaml: YamlDocument, diagnostic: Diagnostic): CodeAction[] {
  const { replacement, fix = {} } = dataOf(diagnostic) ?? {};
  const first = replacement === undefined ? [] : [replacement];
  return [...first, ...(fix.alternatives ?? [])].map((text, index) => {
    const edits: TextEdit[] = [
      { range: diagnostic.range, newText: quotedAs(text, yaml, diagnostic) },
    ];
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

/** In the quotes that stand there; a piece of a text, such as `{{name}}`, as it is. */
function quotedAs(text: string, yaml: YamlDocument, { range }: Diagnostic): string {
  const start = yaml.offsetAt(range.start);
  const end = yaml.offsetAt(range.end);
  const quote = yaml.text[start] ?? '';
  const quoted = end - start > 1 && /["']/.test(quote) && yaml.text[end - 1] === quote;
  if (text.startsWith('{{')) return text;
  return quoted && !text.includes(quote) && !text.includes('\\')
    ? quote + text + quote
    : scalar(text);
}
