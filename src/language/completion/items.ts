import type { CompletionItem, CompletionItemKind } from 'vscode-languageserver-types';
import { visibleLine } from '../../core/text/visibleText.ts';
import { writeWithin, writeWord, type YamlScalar } from '../../yaml/quoting.ts';
import type { Cursor } from './cursor.ts';

/** LSP's `CompletionItemKind`. */
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

export const MAX_DETAIL = 100;

export interface Choice {
  readonly label: string;
  readonly kind: CompletionItemKind;
  /** The value to insert, if it differs from the label. */
  readonly value?: YamlScalar;
  readonly detail?: string | undefined;
  readonly documentation?: string | undefined;
  /** Lower ranks are listed first; 5 by default. */
  readonly rank?: number;
  /** Whether the value is incomplete, such as `openai:`, and therefore isn't quoted yet. */
  readonly incomplete?: boolean;
  /** A snippet to insert after the value, if the client supports snippets and there are no quotes. */
  readonly below?: string;
}

/** Completion items in the order of the choices within each rank. */
export function valueItems(
  choices: readonly Choice[],
  cursor: Cursor,
  snippets: boolean,
): CompletionItem[] {
  return choices.flatMap((choice, index): CompletionItem[] => {
    const { label, kind, value = label, detail, documentation, rank = 5 } = choice;
    const written = choice.incomplete ? String(value) : writeAt(value, cursor);
    if (written === undefined) return [];
    const below = snippets && cursor.style === 'plain' ? choice.below : undefined;
    const blank = cursor.needsSpace ? ' ' : '';
    const newText = blank + (below === undefined ? written : escapeSnippet(written) + below);
    const filter = String(value);
    const shown = visibleLine(label);
    return [
      {
        label: shown,
        kind,
        sortText: sortText(rank, index),
        textEdit: { range: cursor.range, newText },
        ...(filter !== shown && { filterText: filter }),
        ...(detail !== undefined && { detail: visibleLine(detail, MAX_DETAIL) }),
        ...documented(documentation),
        ...(below !== undefined && asSnippet()),
      },
    ];
  });
}

/** Writes the value in the style used at the cursor; undefined if the quotes there can't contain it. */
function writeAt(value: YamlScalar, cursor: Cursor): string | undefined {
  const { style, inFlow, unclosedQuote, onKey, hasColon } = cursor;
  if (style === 'plain') {
    const word = writeWord(value, inFlow);
    return onKey && !hasColon ? `${word}: ` : word;
  }
  const inside = writeWithin(String(value), style);
  const close = unclosedQuote ? { single: "'", double: '"', block: '' }[style] : '';
  return inside === undefined ? undefined : inside + close;
}

/** @param text Markdown */
export function documented(text: string | undefined): Pick<CompletionItem, 'documentation'> {
  return text ? { documentation: { kind: 'markdown', value: text } } : {};
}

export function asSnippet(): Pick<CompletionItem, 'insertTextFormat' | 'insertTextMode'> {
  return { insertTextFormat: SNIPPET, insertTextMode: ADJUST_INDENTATION };
}

export function sortText(rank: number, index: number): string {
  return `${rank}${String(index).padStart(5, '0')}`;
}

export function escapeSnippet(text: string): string {
  return text.replace(/[\\$}]/g, '\\$&');
}

/** Whether the typed text is part of the label. */
export function matches(label: string, typed: string): boolean {
  return label.toLowerCase().includes(typed.trimStart().toLowerCase());
}
