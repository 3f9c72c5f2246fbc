import { countFirst } from '../data/data.ts';

/** In UTF-16 units. */
export const MIN_NEEDLE = 8;

/** This many UTF-16 units of a needle are enough to find it. */
const MAX_HEAD = 256;

/** Number of UTF-16 units hashed together, at the end of the window. */
const BLOCK = 3;
const MAX_SKIP = MIN_NEEDLE - BLOCK + 1;
const TABLE = 1 << 16;

export interface FoundNeedle {
  readonly needle: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds thousands of needles in a long text at once (Wu and Manber), without a RegExp: V8 refuses long ones, and its
 * error message contains them.
 */
export class Needles {
  /** Needles by their head, that is, their first characters. */
  readonly #needles = new Map<string, string[]>();
  /** All heads, sorted by UTF-16 unit. */
  readonly #heads: string[] = [];
  /** For each head, the longest other head that it starts with; undefined if heads have been added since. */
  #shorter: Map<string, string | undefined> | undefined;
  readonly #beginnings = new Set<string>();
  /** Minimum distance to the next possible start of a needle, by the hash of a block. */
  readonly #skips = new Uint8Array(TABLE).fill(MAX_SKIP);

  /** @param needle of at least `MIN_NEEDLE` UTF-16 units */
  add(needle: string): void {
    const head = needle.slice(0, MAX_HEAD);
    const same = this.#needles.get(head);
    if (same) {
      same.push(needle);
      return;
    }
    this.#needles.set(head, [needle]);
    this.#shorter = undefined;
    this.#heads.splice(this.#countUpTo(head), 0, head);
    this.#beginnings.add(head.slice(0, MIN_NEEDLE));
    for (let skip = 0; skip < MAX_SKIP; skip += 1) {
      const block = hashAt(head, MIN_NEEDLE - BLOCK - skip);
      this.#skips[block] = Math.min(this.#skips[block] ?? 0, skip);
    }
  }

  /** Leftmost matches that don't overlap. If several start at the same position, the longest one is used. */
  *find(text: string): Generator<FoundNeedle> {
    const last = text.length - MIN_NEEDLE;
    for (let start = 0; start <= last; ) {
      const skip = this.#skips[hashAt(text, start + MIN_NEEDLE - BLOCK)] ?? 0;
      if (skip > 0) {
        start += skip;
        continue;
      }
      const found = this.#at(text, start);
      if (found) yield found;
      start = found?.end ?? start + 1;
    }
  }

  /**
   * Number of UTF-16 units at the end of a text that could be the start of a needle.
   *
   * @param text contains no matches
   */
  overlap(text: string): number {
    for (let length = Math.min(text.length, MAX_HEAD - 1); length > 0; length -= 1) {
      const end = text.slice(-length);
      const next = countFirst(this.#heads, (head) => head < end);
      if (this.#heads[next]?.startsWith(end)) return length;
    }
    return 0;
  }

  #at(text: string, start: number): FoundNeedle | undefined {
    if (!this.#beginnings.has(text.slice(start, start + MIN_NEEDLE))) return undefined;
    // Heads that the text starts with here sort before it, and every head in between starts with them.
    let head = this.#heads[this.#countUpTo(text.slice(start, start + MAX_HEAD)) - 1];
    const common = head === undefined ? 0 : commonLength(head, text, start);
    this.#shorter ??= this.#findShorter();
    while (head !== undefined && head.length > common) head = this.#shorter.get(head);
    return head === undefined ? undefined : this.#longest(head, text, start);
  }

  #findShorter(): Map<string, string | undefined> {
    const shorter = new Map<string, string | undefined>();
    for (const [index, head] of this.#heads.entries()) {
      let before = this.#heads[index - 1];
      while (before !== undefined && !head.startsWith(before)) before = shorter.get(before);
      shorter.set(head, before);
    }
    return shorter;
  }

  #longest(head: string, text: string, start: number): FoundNeedle {
    let longest: FoundNeedle = { needle: head, start, end: start };
    for (const needle of this.#needles.get(head) ?? []) {
      const end = start + commonLength(needle, text, start);
      if (end > longest.end) longest = { needle, start, end };
    }
    return longest;
  }

  #countUpTo(text: string): number {
    return countFirst(this.#heads, (head) => head <= text);
  }
}

function hashAt(text: string, at: number): number {
  const [a, b, c] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
  return ((a << 10) ^ (b << 5) ^ c) & (TABLE - 1);
}

/** Number of UTF-16 units, from a position in the text, that match a needle. */
function commonLength(needle: string, text: string, at: number): number {
  const most = Math.min(needle.length, text.length - at);
  let length = 0;
  while (length < most && needle.charCodeAt(length) === text.charCodeAt(at + length)) length += 1;
  return length;
}
