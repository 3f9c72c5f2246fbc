import type { CompletionItem, CompletionItemKind } from 'vscode-languageserver-types';
import type { Place } from './place.ts';

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

/** A value that can be chosen, as it is shown. */
export interface Choice {
  readonly label: string;
  readonly kind: CompletionItemKind;
  /** What is written, where it is not the label. */
  readonly text?: string;
  readonly detail?: string | undefined;
  readonly documentation?: string | undefined;
  /** Those with a low number come first; 5 unless given. */
  readonly rank?: number;
  /** Written as it is, without quotes of its own: numbers, `true`, what goes on behind it. */
  readonly verbatim?: boolean;
  /** What follows, as a snippet; only where snippets are understood and no quote stands behind. */
  readonly below?: string;
}

/** Items in the order of the choices, within their rank. */
export function valueItems(
  choices: readonly Choice[],
  place: Place,
  snippets: boolean,
): CompletionItem[] {
  return choices.map((choice, index) => {
    const { label, kind, text = label, detail, documentation, rank = 5 } = choice;
    const written = choice.verbatim && place.style === 'plain' ? text : asScalar(text, place);
    const below = snippets && place.style === 'plain' ? choice.below : undefined;
    const value = `${place.blankNeeded ? ' ' : ''}${below === undefined ? written : plainSnippet(written)}`;
    return {
      label,
      kind,
      sortText: sortText(rank, index),
      textEdit: { range: place.range, newText: value + (below ?? '') },
      ...(text !== label && { filterText: text }),
      ...(detail !== undefined && { detail: oneLine(detail) }),
      ...(documentation !== undefined && { documentation: oneLine(documentation) }),
      ...(below !== undefined && asSnippet()),
    };
  });
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

/** Text of a file in a list of proposals: one line, no characters that turn what is seen. */
export function oneLine(text: string, length = 100): string {
  const line = text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
  const characters = [...line];
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : line;
}

/** Words that YAML reads as something else, or that end a plain text, need quotes. */
const SAFE = /^(?!(?:true|false|null)$)[\p{L}_./][^\n\r:#,[\]{}"'`]*$/iu;
const SAFE_WITH_COLON = /^[\p{L}_./][\w.:/@+-]*[\w/]$/u;

/** A text written for where the cursor is: in quotes or not. */
export function asScalar(text: string, { style, halfOpen }: Pick<Place, 'style' | 'halfOpen'>) {
  if (style === 'single') return text.replaceAll("'", "''") + (halfOpen ? "'" : '');
  if (style === 'double') return JSON.stringify(text).slice(1, halfOpen ? undefined : -1);
  return (SAFE.test(text) && text.trim() === text) || SAFE_WITH_COLON.test(text)
    ? text
    : JSON.stringify(text);
}

/** Whether a word could be on its way to become the label; free text is not. */
export function fits(label: string, typed: string): boolean {
  return label.toLowerCase().includes(typed.trimStart().toLowerCase());
}
