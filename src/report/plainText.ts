/**
 * Characters that a terminal obeys instead of showing: C0 and C1 controls, and the marks that turn
 * the direction of text. An agent's reply may hold `ESC ]0;…` or `ESC [2J`.
 */
const OBEYED = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** Hostile text fit for a terminal: what would be obeyed is shown as `\x1b`; lines stay lines. */
export function neutralise(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(OBEYED, (character) => {
    if (character === '\n') return character;
    if (character === '\t') return '  ';
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** On one line, in at most `length` characters; what is cut ends in `…`. */
export function oneLine(text: string, length: number): string {
  const folded = neutralise(text.replace(/\s+/g, ' ').trim());
  const characters = Array.from(folded);
  if (characters.length <= length) return folded;
  return `${characters.slice(0, Math.max(0, length - 1)).join('')}…`;
}
