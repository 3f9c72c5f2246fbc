import { visibleLine, visibleText } from './visibleText.ts';

/** Escapes text from files, agents, and judges for Markdown and HTML; keeps line breaks and indentation. */
export function escapeMarkdown(text: string): string {
  return escaped(visibleText(text))
    .replace(/^ +/gm, (indent) => '&nbsp;'.repeat(indent.length))
    .replace(/\n/g, '  \n');
}

export function escapeLine(text: string, length = 300): string {
  return escaped(visibleLine(text, length));
}

/** A code block that nothing in its text can close. */
export function fencedMarkdown(text: string): string {
  const clean = visibleText(text);
  const longest = Math.max(0, ...[...clean.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}text\n${clean}\n${fence}`;
}

export function paragraphs(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n');
}

/** Markdown syntax, including GitHub's. All other text is kept readable. */
const ACTIVE = new RegExp(
  [
    '[`*[\\]|~#]',
    String.raw`\\(?![\p{L}\p{N}])`,
    // Not inside a snake_case word.
    String.raw`(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])`,
    // Tags and entities, but not a < b && c.
    String.raw`<(?![\s\d=])|&(?=[#\p{L}])`,
    // Formulas and icons, but not prices; also :smile:.
    String.raw`\$(?!\d)|:(?=[a-z+\-][\w+\-]*:)`,
    // Quotes, lists, underlined headings and tables, at the start of a line.
    String.raw`(?<=^[^\S\n]*)(?:[>=]|[+\-](?=[\s:\-]|$)|:(?=-))`,
    String.raw`(?<=^[^\S\n]*\d{1,9})[.)](?=\s|$)`,
  ].join('|'),
  'gimu',
);

/** Words that become links or mentions, on their own or in brackets: `command:run`. */
const ADDRESS = /\/\/|www\.|@|\bcommand:/i;

function escaped(text: string): string {
  return text
    .replace(ACTIVE, entity)
    .replace(/\S+/g, (word) => (ADDRESS.test(word) ? word.replace(/[.:/@]/g, entity) : word));
}

function entity(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}
