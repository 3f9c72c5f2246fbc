/**
 * Text from files, agents and judges as Markdown that shows it and does nothing else: every
 * character that Markdown or HTML could act on is escaped, line breaks and indents are kept.
 */
export function escapeMarkdown(text: string): string {
  return neutral(text)
    .replace(/[\\`*_{}[\]()#+\-=.!|~<>&:@/]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/^ +/gm, (indent) => '&nbsp;'.repeat(indent.length))
    .replace(/\n/g, '  \n');
}

/** As `escapeMarkdown`, on one line and at most `length` characters. */
export function escapeLine(text: string, length = 300): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return escapeMarkdown(line.length > length ? `${line.slice(0, length - 1)}…` : line);
}

/** Text as a block of code, fenced so that nothing in it can end the block. */
export function fencedMarkdown(text: string): string {
  const clean = neutral(text);
  const longest = Math.max(0, ...[...clean.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}text\n${clean}\n${fence}`;
}

/** Characters that nobody sees but that change what is seen: controls, and turners of direction. */
function neutral(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, '  ')
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (character) =>
      character === '\n' ? character : '\uFFFD',
    );
}
