/** A piece of a text that stays as it is, and the white space that belongs before it. */
export interface Piece {
  /** Offsets in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
}

/** Before a piece on the same line: nothing, one blank, at most one, or what is there and at least one. */
export type Gap = 'none' | 'one' | 'less' | 'kept';

/** Cuts a text into the pieces that stay; what is between them is white space. */
export class Pieces {
  readonly #text: string;
  readonly #eol: string;
  readonly #pieces: Piece[] = [];
  #end = 0;
  /** After a text that ends with `+`: its empty lines belong to it. */
  #everyBreak = false;

  constructor(text: string) {
    this.#text = text;
    this.#eol = /\r?\n/.exec(text)?.[0] ?? '\n';
  }

  /** A piece that gets `indent` blanks before it where it begins a line, else the gap. */
  keep(start: number, source: string, indent: number, gap: Gap): void {
    const there = this.#text.slice(this.#end, start);
    const breaks = there.split('\n').length - 1;
    const count = this.#everyBreak ? breaks : Math.min(breaks, 2);
    const blank = ' '.repeat(indent);
    const before = this.#isFirst()
      ? ''
      : breaks > 0
        ? this.#eol.repeat(count) + blank
        : betweenOnLine(there, gap);
    this.#push(start, start + source.length, before);
    this.#everyBreak = false;
  }

  /** A text that may go over several lines, whose indents and empty lines but their number mean nothing. */
  keepLines(start: number, source: string, indent: number, gap: Gap): void {
    const [first = '', ...others] = source.split('\n');
    this.keep(start, first.replace(/\r$/, ''), indent, gap);
    let offset = start + first.length + 1;
    for (const line of others) {
      const words = line.replace(/^[ \t]+/, '');
      if (words.trim() !== '') {
        this.#keepLine(offset + line.length - words.length, words, indent);
      }
      offset += line.length + 1;
    }
  }

  /** The text under a `|` or `>`: what stands in farther than `old` belongs to it. */
  keepBlock(start: number, source: string, old: number, now: number, keepsEnd: boolean): void {
    let offset = start;
    for (const line of source.split('\n')) {
      const words = line.slice(old).replace(/\r$/, '');
      if (words !== '' && line.slice(0, old).trim() === '')
        this.#keepLine(offset + old, words, now);
      offset += line.length + 1;
    }
    this.#everyBreak = keepsEnd;
  }

  #keepLine(start: number, words: string, indent: number): void {
    const breaks = this.#text.slice(this.#end, start).replace(/[^\r\n]/g, '');
    this.#push(start, start + words.replace(/\r$/, '').length, breaks + ' '.repeat(indent));
  }

  #push(start: number, end: number, before: string): void {
    this.#pieces.push({ start, end, before });
    this.#end = end;
  }

  last(): string {
    const piece = this.#pieces.at(-1);
    return piece ? this.#text.slice(piece.start, piece.end) : '';
  }

  /** Whether a line break stands between the last piece and a place; the breaks above all go. */
  beginsLine(offset: number): boolean {
    return !this.#isFirst() && this.#text.slice(this.#end, offset).includes('\n');
  }

  #isFirst(): boolean {
    return this.#end === 0 || this.last() === '\uFEFF';
  }

  columnOf(offset: number): number {
    return offset === 0 ? 0 : offset - 1 - this.#text.lastIndexOf('\n', offset - 1);
  }

  done(): readonly Piece[] {
    if (this.#pieces.length === 0) return [];
    const { length } = this.#text;
    const breaks = this.#text.slice(this.#end).split('\n').length - 1;
    const count = this.#everyBreak ? Math.max(1, breaks) : 1;
    return [...this.#pieces, { start: length, end: length, before: this.#eol.repeat(count) }];
  }
}

function betweenOnLine(there: string, gap: Gap): string {
  if (gap === 'none') return '';
  if (gap === 'less') return there === '' ? '' : ' ';
  return gap === 'one' || there === '' ? ' ' : there;
}
