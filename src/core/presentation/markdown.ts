import { visibleLine, visibleText } from './visibleText.ts';

/**
 * Text from files, agents and judges as Markdown that shows it and does nothing else: every
 * character that Markdown or HTML could act on is escaped, line breaks and indents are kept.
 */
export function escapeMarkdown(text: string): string {
  return escaped(visibleText(text))
    .replace(/^ +/gm, (indent) => '&nbsp;'.repeat(indent.length))
    .replace(/\n/g, '  \n');
}

/** As `escapeMarkdown`, on one line and at most `length` characters. */
export function escapeLine(text: string, length = 300): string {
  return escaped(visibleLine(text, length));
}

/** Text as a block of code, fenced so that nothing in it can end the block. */
export function fencedMarkdown(text: string): string {
  const clean = visibleText(text);
  const longest = Math.max(0, ...[...clean.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}text\n${clean}\n${fence}`;
}

/** The parts that say something, each as a paragraph. */
export function paragraphs(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n');
}

function escaped(text: string): string {
  return text.replace(
    /[\\`*_{}[\]()#+\-=.!|~<>&:@/]/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );
}
