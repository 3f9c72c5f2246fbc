import type { CodeAction, Diagnostic } from 'vscode-languageserver-types';
import { edit } from '../../../yaml/edits.ts';
import { quoted } from '../../../yaml/write.ts';
import type { YamlDocument } from '../../../yaml/yamlDocument.ts';
import { dataOf, editsIn, quickFix } from './actions.ts';

/** Puts a text that a comment cuts short in quotes as a whole. */
export function putInQuotes(uri: string, yaml: YamlDocument, diagnostic: Diagnostic): CodeAction[] {
  const quote = dataOf(diagnostic)?.fix?.quote;
  if (!quote) return [];
  const start = yaml.offsetAt(quote.start);
  const end = yaml.offsetAt(quote.end);
  const text = quoted(yaml.text.slice(start, end));
  const edits = [edit(yaml, start, end, text)];
  return [quickFix('Put the whole text in quotes', diagnostic, editsIn(uri, edits), true)];
}
