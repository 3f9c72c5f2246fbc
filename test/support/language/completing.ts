import type { CompletionItem } from 'vscode-languageserver-types';
import { completion } from '../../../src/language/completion/completion.ts';
import type { CompletionContext } from '../../../src/language/ports.ts';
import { SUITE } from '../evalFiles.ts';
import { cursor } from './cursor.ts';

/** The completion items at the `|` in an eval file. */
export function itemsAt(
  marked: string,
  context: CompletionContext = {},
): Promise<CompletionItem[]> {
  const { text, position } = cursor(marked);
  return completion(text, SUITE, position, context);
}

/** Labels of the items, in the order in which an editor sorts them. */
export async function labelsAt(marked: string, context: CompletionContext = {}): Promise<string[]> {
  const items = await itemsAt(marked, context);
  const order = ({ sortText = '' }: CompletionItem) => sortText;
  return items.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)).map(({ label }) => label);
}

/** The text after an item was chosen. Snippets are inserted with their placeholders. */
export async function chosen(
  marked: string,
  label: string,
  context: CompletionContext = {},
): Promise<string> {
  const item = (await itemsAt(marked, context)).find((one) => one.label === label);
  return item ? applied(cursor(marked).text, item) : `There is no ${label}.`;
}

/** Applies an item's edit. Further lines are indented like the line where the edit starts. */
export function applied(text: string, { textEdit, insertTextFormat }: CompletionItem): string {
  if (!textEdit || !('range' in textEdit)) throw new Error('The item changes nothing.');
  const { start, end } = textEdit.range;
  const lines = text.split('\n');
  const line = lines[start.line] ?? '';
  const margin = /^\s*/.exec(line)?.[0] ?? '';
  const written =
    insertTextFormat === 2 ? textEdit.newText.replaceAll('\n', `\n${margin}`) : textEdit.newText;
  lines[start.line] = line.slice(0, start.character) + written + line.slice(end.character);
  return lines.join('\n');
}

export const SNIPPETS: CompletionContext = { snippets: true };

/** A case with the given lines under `assert`. */
export function inAssert(lines: string): string {
  return `cases:\n  - id: a\n    assert:\n${lines}`;
}
