import type { CodeAction, Diagnostic, TextEdit } from 'vscode-languageserver-types';
import { editsIn, quickFix } from './actions.ts';

const TAB_INDENT = /^ *\t[ \t]*/;

/** Every line of a file whose indent holds a tab, two spaces for each. */
export function indentWithSpaces(uri: string, text: string, diagnostic: Diagnostic): CodeAction[] {
  if (diagnostic.source !== 'turnlight' || diagnostic.code !== 'tab-indent') return [];
  const edits = text.split(/\r\n|\r|\n/).flatMap((line, number): TextEdit[] => {
    const indent = TAB_INDENT.exec(line)?.[0];
    if (indent === undefined) return [];
    const start = { line: number, character: 0 };
    const end = { line: number, character: indent.length };
    return [{ range: { start, end }, newText: indent.replaceAll('\t', '  ') }];
  });
  if (edits.length === 0) return [];
  return [quickFix('Indent with spaces', diagnostic, editsIn(uri, edits), true)];
}
