import type { CST } from 'yaml';
import type { Work } from '../node/cooperative.ts';
import { tokensWithin } from './parser.ts';

/** Thrown for syntax that can't be formatted, such as `? key`. */
class Unformattable extends Error {}

/** The old and the new indentation of a list or map. */
interface Level {
  readonly old: number;
  readonly now: number;
}

interface Indents {
  /** The indentation of its owner, which is either its key or the text after its dash. */
  readonly hang: number;
  /** Its own new indentation, from the start of the line. */
  readonly own: number;
  /** The indentation of the surrounding list or map. */
  readonly around: number;
  readonly flow?: boolean;
}

/**
 * Yields the tokens of YAML text, in order, with new white space: lists and maps are indented by `step` below their
 * key, one space follows `-` and `:`, at most one empty line is kept, and a line break ends the file. Comments and
 * strings are unchanged. Undefined if the text is invalid or contains unsupported syntax.
 */
export function* formatYaml(text: string, step: number): Work<readonly Piece[] | undefined> {
  try {
    const layout = new Layout(text, step);
    for (const token of tokensWithin(text)) {
      if (token) layout.add(token);
      else yield;
    }
    return layout.pieces.done();
  } catch (error) {
    if (error instanceof Unformattable || error instanceof RangeError) return undefined;
    throw error;
  }
}

class Layout {
  readonly pieces: Pieces;
  readonly #step: number;
  /** The enclosing lists and maps, outermost first. */
  readonly #levels: Level[] = [];

  constructor(text: string, step: number) {
    this.pieces = new Pieces(text);
    this.#step = step;
  }

  add(token: CST.Token): void {
    if (token.type === 'document') {
      const own = isBlock(token.value) ? 0 : this.#step;
      this.#marks(token.start, 0);
      if (token.value) this.#value(token.value, { hang: 0, own, around: 0 });
      this.#marks(token.end ?? [], 0);
    } else if (token.type === 'doc-end' || token.type === 'directive') {
      this.pieces.keep(token.offset, token.source, 0, 'one');
      if (token.type === 'doc-end') this.#marks(token.end ?? [], 0);
    } else {
      this.#mark(token, 0, 'one');
    }
  }

  #value(token: CST.Token, seat: Indents): void {
    switch (token.type) {
      case 'block-map':
      case 'block-seq':
        this.#within({ old: token.indent, now: seat.own }, () => {
          for (const item of token.items) {
            if (token.type === 'block-map') this.#entry(item, token.indent, seat.own);
            else this.#item(item, token.indent, seat.own);
          }
        });
        return;
      case 'flow-collection':
        this.#flow(token, seat);
        return;
      case 'block-scalar':
        this.#blockText(token, seat);
        return;
      case 'alias':
      case 'scalar':
      case 'single-quoted-scalar':
      case 'double-quoted-scalar':
        this.pieces.keepLines(token.offset, token.source, seat.own, this.#gap(seat.flow));
        this.#marks(token.end ?? [], seat.own, seat.flow);
        return;
      default:
        throw new Unformattable();
    }
  }

  #entry({ start, key, sep, value }: CST.CollectionItem, old: number, indent: number): void {
    this.#marks(start, indent);
    const own = indent + this.#step;
    if (key && !('source' in key)) throw new Unformattable();
    if (key) this.#value(key, { hang: indent, own: indent, around: indent });
    this.#within({ old: old + 1, now: own }, () => {
      for (const token of sep ?? []) {
        // `*name:` would be a different alias.
        const tight = token.type === 'map-value-ind' && key?.type !== 'alias';
        this.#mark(token, own, tight ? 'none' : 'one');
      }
      if (value) this.#value(value, { hang: indent, own, around: indent });
    });
  }

  #item({ start, value }: CST.CollectionItem, old: number, indent: number): void {
    const dash = start.findIndex(({ type }) => type === 'seq-item-ind');
    const own = indent + 2;
    if (dash < 0) {
      // If the list isn't indented, comments after its last item belong to the next entry.
      const level = this.#levels.pop();
      this.#marks(start, indent);
      if (level) this.#levels.push(level);
      return;
    }
    this.#marks(start.slice(0, dash + 1), indent);
    this.#within({ old: old + 1, now: own }, () => {
      this.#marks(start.slice(dash + 1), own);
      if (value) this.#value(value, { hang: own, own, around: indent });
    });
  }

  #flow({ start, items, end }: CST.FlowCollection, { hang, own, flow }: Indents): void {
    const outer = this.pieces.beginsLine(start.offset) ? own : hang;
    this.pieces.keep(start.offset, start.source, own, this.#gap(flow));
    const inner = outer + this.#step;
    const seat = { hang: inner, own: inner, around: inner, flow: true };
    this.#within({ old: 0, now: inner }, () => {
      for (const item of items) {
        this.#marks(item.start, inner, true);
        if (item.key) this.#value(item.key, seat);
        this.#marks(item.sep ?? [], inner, true);
        if (item.value) this.#value(item.value, seat);
      }
    });
    const [bracket, ...behind] = end;
    if (bracket) this.#mark(bracket, outer, 'less');
    this.#marks(behind, own, flow);
  }

  #blockText({ offset, indent, props, source }: CST.BlockScalar, seat: Indents): void {
    let header = '';
    let start = offset;
    for (const prop of props) {
      this.#mark(prop, seat.own, 'one');
      if (!('source' in prop)) throw new Unformattable();
      if (prop.type === 'block-scalar-header') header = prop.source;
      start = prop.offset + prop.source.length;
    }
    // `|2` sets the indentation, so spaces beyond it belong to the text.
    const depth = Number(/[1-9]/.exec(header)?.[0] ?? 0);
    const first = source.split('\n').find((line) => line.trim() !== '');
    // The text may contain only spaces.
    const blanks = first === undefined ? source.length : (/^ */.exec(first)?.[0].length ?? 0);
    const old = depth > 0 ? indent + depth : blanks;
    const now = depth > 0 ? seat.around + depth : seat.own;
    this.pieces.keepBlock(start, source, old, now, header.includes('+'));
  }

  #marks(tokens: readonly CST.Token[], indent: number, flow = false): void {
    for (const token of tokens) this.#mark(token, indent, this.#gap(flow));
  }

  #mark(token: CST.Token, indent: number, gap: 'none' | 'one' | 'less'): void {
    switch (token.type) {
      case 'space':
      case 'newline':
        return;
      case 'comment': {
        const column = this.pieces.columnOf(token.offset);
        const level = this.#levels.findLast(({ old }) => old <= column);
        this.pieces.keep(token.offset, token.source.trimEnd(), level?.now ?? 0, 'kept');
        return;
      }
      case 'comma': {
        // `*name,` would be a different alias.
        const tight = this.pieces.last().startsWith('*') ? 'less' : 'none';
        this.pieces.keep(token.offset, token.source, indent, tight);
        return;
      }
      case 'flow-map-end':
      case 'flow-seq-end':
        this.pieces.keep(token.offset, token.source, indent, 'less');
        return;
      case 'byte-order-mark':
      case 'doc-start':
      case 'directive-line':
      case 'anchor':
      case 'tag':
      case 'seq-item-ind':
      case 'map-value-ind':
      case 'block-scalar-header':
        this.pieces.keep(token.offset, token.source, indent, gap);
        return;
      default:
        throw new Unformattable();
    }
  }

  #gap(flow = false): 'one' | 'less' {
    return flow && this.pieces.last() !== ',' ? 'less' : 'one';
  }

  #within(level: Level, work: () => void): void {
    this.#levels.push(level);
    work();
    this.#levels.pop();
  }
}

function isBlock(token: CST.Token | undefined): boolean {
  return token?.type === 'block-map' || token?.type === 'block-seq';
}

/** A part of the text that is kept, and the white space before it. */
export interface Piece {
  /** Offsets in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
}

/** White space before a token on the same line: none, one space, at most one, or at least one. */
type Gap = 'none' | 'one' | 'less' | 'kept';

/** Collects the parts of text that aren't white space. */
class Pieces {
  readonly #text: string;
  readonly #eol: string;
  readonly #pieces: Piece[] = [];
  #end = 0;
  /** Whether all empty lines are kept, as after a `|+` block. */
  #everyBreak = false;

  constructor(text: string) {
    this.#text = text;
    this.#eol = /\r?\n/.exec(text)?.[0] ?? '\n';
  }

  /** Keeps a part, preceded by `indent` spaces if it starts a line, or else by the gap. */
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

  /** Keeps text on one or more lines. Its indentation may change, but its empty lines don't. */
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

  /** Keeps the text of a block scalar: everything indented further than `old`. */
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

  /** Whether a line break precedes an offset. Line breaks at the start of the file don't count. */
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
