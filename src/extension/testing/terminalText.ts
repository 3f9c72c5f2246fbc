import { neutralise } from '../../report/plainText.ts';

/** Lines for a terminal, which shows hostile text instead of obeying it. */
export function terminalText(text: string): string {
  return `${neutralise(text).replaceAll('\n', '\r\n')}\r\n`;
}
