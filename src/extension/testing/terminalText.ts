/** Text that a terminal shows instead of obeying. */
export function terminalText(text: string): string {
  const shown = text.replace(/\p{Cc}/gu, (character) =>
    character === '\n' ? character : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return `${shown.replaceAll('\n', '\r\n')}\r\n`;
}
