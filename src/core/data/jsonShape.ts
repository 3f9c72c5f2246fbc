import { LIMITS, readable } from '../limits.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** A bracket, and a brace but for one bit. */
const OPENS = 0x5b;
const CLOSES = 0x5d;
const BRACE = 0x20;

type State = readonly [depth: number, commas: number, isQuoted: boolean, isEscaped: boolean];

/** How deep and how large a JSON text is, before it is parsed, in pieces of any size. */
export class JsonShape {
  #state: State = [0, 0, false, false];

  /** Whether the text is nested deeper than we parse; what follows is not looked at. */
  get isTooDeep(): boolean {
    return this.#state[0] > LIMITS.depth;
  }

  /** Entries of lists and keys of mappings, about. */
  get values(): number {
    return this.#state[1] + 1;
  }

  /** Why the text is not parsed, such as `is nested too deep`; undefined if it is. */
  excess(maxValues: number = LIMITS.values): string | undefined {
    if (this.isTooDeep) return 'is nested too deep';
    return this.values > maxValues ? `has more than ${readable(maxValues)} values` : undefined;
  }

  /** @param piece UTF-8 */
  add(piece: Uint8Array): this {
    const { depth: deepest } = LIMITS;
    // In variables: a text may have millions of bytes.
    let [depth, commas, isQuoted, isEscaped] = this.#state;
    const { length } = piece;
    for (let at = 0; at < length && depth <= deepest; at += 1) {
      const byte = piece[at] as number;
      if (isEscaped) isEscaped = false;
      else if (byte === QUOTE) isQuoted = !isQuoted;
      else if (isQuoted) isEscaped = byte === BACKSLASH;
      else if (byte === COMMA) commas += 1;
      else if ((byte & ~BRACE) === OPENS) depth += 1;
      else if ((byte & ~BRACE) === CLOSES) depth -= 1;
    }
    this.#state = [depth, commas, isQuoted, isEscaped];
    return this;
  }
}
