import { visibleText } from '../../core/text/visibleText.ts';

/** Lines for a terminal, which shows hostile text instead of obeying it. */
export function terminalText(text: string): string {
  return `${visibleText(text).replaceAll('\n', '\r\n')}\r\n`;
}
