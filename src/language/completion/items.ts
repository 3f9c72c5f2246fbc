import type { CompletionItem, CompletionItemKind } from 'vscode-languageserver-types';
import { visibleLine } from '../../core/text/visibleText.ts';
import { writeWithin, writeWord, type YamlScalar } from '../../yaml/quoting.ts';
import type { Cursor } from './cursor.ts';

/** LSP's `CompletionItemKind`, as far as it is used. */
export const KINDS = {
  property: 10,
  value: 12,
  enumMember: 20,
  snippet: 15,
  file: 17,
  folder: 19,
  reference: 18,
  variable: 6,
  module: 9,
} as const satisfies Readonly<Record<string, CompletionItemKind>>;

/** LSP's `InsertTextFormat.Snippet` and `InsertTextMode.adjustIndentation`. */
const SNIPPET = 2;
const ADJUST_INDENTATION = 2;

/** Characters of what is shown beside a value. */
export const LONGEST = 100;

export interface Choice {
  readonly label: string;
  readonly kind: CompletionItemKind;
  /** What is written, where it is not the label: a number is not text. */
  readonly value?: YamlScalar;
  readonly detail?: string | undefined;
  readonly documentation?: string | undefined;
  /** Those with a low number come first; 5 by default. */
  readonly rank?: number;
  /** More is typed after it, as after `openai:`, so that it gets no quotes yet. */
  readonly begun?: boolean;
  /** What follows, as a snippet; only where snippets are understood and no quote stands behind. */
  readonly below?: string;
}

/** Items in the order of the choices, within their rank. */
export function valueItems(
  choices: readonly Choice[],
  cursor: Cursor,
  snippets: boolean,
): CompletionItem[] {
  return choices.flatMap((choice, index): CompletionItem[] => {
    const { label, kind, value = label, detail, documentation, rank = 5 } = choice;
    const written = choice.begun ? String(value) : writtenAt(value, cursor);
    if (written === undefined) return [];
    const below = snippets && cursor.style === 'plain' ? choice.below : undefined;
    const blank = cursor.blankNeeded ? ' ' : '';
    const filter = String(value);
    const shown = visibleLine(label);
    return [
      {
        label: shown,
        kind,
        sortText: sortText(rank, index),
        textEdit: {
          range: cursor.range,
          newText: blank + (below === undefined ? written : plainSnippet(written) + below),
        },
        ...(filter !== shown && { filterText: filter }),
        ...(detail !== undefined && { detail: visibleLine(detail, LONGEST) }),
        ...documented(documentation),
        ...(below !== undefined && asSnippet()),
      },
    ];
  });
}

/** A value as it takes where the cursor is; undefined if the quotes that are there cannot hold it. */
function writtenAt(value: YamlScalar, cursor: Cursor): string | undefined {
  const { style, inFlow, halfOpen, onKey, hasColon } = cursor;
  if (style === 'plain') {
    const word = writeWord(value, inFlow);
    return onKey && !hasColon ? `${word}: ` : word;
  }
  const inside = writeWithin(String(value), style);
  const close = halfOpen ? { single: "'", double: '"', block: '' }[style] : '';
  return inside === undefined ? undefined : inside + close;
}

/** Documentation has `code` in it. */
export function documented(text: string | undefined): Pick<CompletionItem, 'documentation'> {
  return text ? { documentation: { kind: 'markdown', value: text } } : {};
}

export function asSnippet(): Pick<CompletionItem, 'insertTextFormat' | 'insertTextMode'> {
  return { insertTextFormat: SNIPPET, insertTextMode: ADJUST_INDENTATION };
}

export function sortText(rank: number, index: number): string {
  return `${rank}${String(index).padStart(5, '0')}`;
}

/** A text that a snippet shows as it is. */
export function plainSnippet(text: string): string {
  return text.replace(/[\\$}]/g, '\\$&');
}

/** Whether a word could be on its way to become the label; free text is not. */
export function fits(label: string, typed: string): boolean {
  return label.toLowerCase().includes(typed.trimStart().toLowerCase());
}
