/** LSP ends a line at a carriage return as well, though YAML does not. */
const BREAK = /[\r\n]/g;

/** The offset at which the line of a place ends, without its line break. */
export function endOfLineAt(text: string, offset: number): number {
  BREAK.lastIndex = offset;
  return BREAK.exec(text)?.index ?? text.length;
}

export function startOfLineAt(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && text[start - 1] !== '\n' && text[start - 1] !== '\r') start -= 1;
  return start;
}
