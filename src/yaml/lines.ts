import type { Position } from '../core/problem.ts';

const CR = 13;
const LF = 10;

/** Where the lines of a text begin, with line breaks as editors count them: CRLF, LF and CR alone. */
export class Lines {
  readonly #text: string;
  readonly #starts: number[] = [0];

  constructor(text: string) {
    this.#text = text;
    for (let offset = 0; offset < text.length; offset += 1) {
      const code = text.charCodeAt(offset);
      if (code === LF || (code === CR && text.charCodeAt(offset + 1) !== LF)) {
        this.#starts.push(offset + 1);
      }
    }
  }

  /** @param offset in UTF-16 units; outside of the text, its nearest end */
  positionAt(offset: number): Position {
    const inside = Math.max(0, Math.min(offset, this.#text.length));
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= inside) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: inside - (this.#starts[low] ?? 0) };
  }

  /** Of a place behind a line's end, that end; of one behind the last line, the text's. */
  offsetAt({ line, character }: Position): number {
    const start = this.#starts[line];
    if (start === undefined) return this.#text.length;
    let end = this.#starts[line + 1] ?? this.#text.length;
    while (end > start && isBreak(this.#text.charCodeAt(end - 1))) end -= 1;
    return Math.min(start + character, end);
  }
}

function isBreak(code: number): boolean {
  return code === CR || code === LF;
}

/** Where the line of an offset begins, as YAML breaks lines: a carriage return alone is none. */
export function startOfLine(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Where the line of an offset ends, before its line break. */
export function endOfLine(text: string, offset: number): number {
  const next = text.indexOf('\n', offset);
  if (next < 0) return text.length;
  return next > offset && text[next - 1] === '\r' ? next - 1 : next;
}

/** Where the next line begins; the end of the text where there is none. */
export function startOfNextLine(text: string, offset: number): number {
  const next = text.indexOf('\n', offset);
  return next < 0 ? text.length : next + 1;
}

/** The line break that a text uses. */
export function lineBreakOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
