export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Piece {
  readonly node: Text;
  readonly from: number;
  readonly to: number;
}

interface Squeezed {
  readonly text: string;
  /** Where each character stood before. */
  readonly places: readonly number[];
}

/** All text of elements as one, also across the elements in them, to find stretches of it. */
export class TextIndex {
  readonly #text: string;
  readonly #nodes: Text[] = [];
  /** Where each node begins. */
  readonly #starts: number[] = [];
  /** Where each root begins. */
  readonly #roots: number[] = [];
  #words: Squeezed | undefined;
  #lowerCase: Squeezed | undefined;

  /** @param skipped a selector: what is in such elements is no part of the text */
  constructor(roots: readonly Node[], skipped?: string) {
    let text = '';
    for (const root of roots) {
      this.#roots.push(text.length);
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (!(node instanceof Text)) continue;
        if (skipped !== undefined && node.parentElement?.closest(skipped)) continue;
        this.#nodes.push(node);
        this.#starts.push(text.length);
        text += node.data;
      }
    }
    this.#text = text;
  }

  /** In which of the roots a span begins. */
  rootOf({ start }: Span): number {
    return lastAtMost(this.#roots, start);
  }

  get length(): number {
    return this.#text.length;
  }

  /** Where words first stand, however they are spaced: JSON is shown on more lines than it was said. */
  findWords(words: string): Span | undefined {
    this.#words ??= squeeze(this.#text, '');
    const [first] = spansOf(this.#words, squeeze(words, '').text);
    return first;
  }

  /** All places of a text, upper case or lower, any white space as one space. */
  findAll(text: string): Span[] {
    this.#lowerCase ??= squeeze(lowerCase(this.#text), ' ');
    const wanted = squeeze(lowerCase(text), ' ').text.trim();
    return [...spansOf(this.#lowerCase, wanted)];
  }

  /** The parts of text nodes that a span is made of. */
  pieces({ start, end }: Span): Piece[] {
    const pieces: Piece[] = [];
    const first = lastAtMost(this.#starts, start);
    for (let index = first; index < this.#nodes.length; index += 1) {
      const node = this.#nodes[index];
      const begin = this.#starts[index] ?? 0;
      if (!node || begin >= end) break;
      const from = Math.max(0, start - begin);
      const to = Math.min(node.length, end - begin);
      if (from < to) pieces.push({ node, from, to });
    }
    return pieces;
  }
}

/** The last of ascending numbers that is at most `most`, as an index. */
function lastAtMost(numbers: readonly number[], most: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}

function* spansOf({ text, places }: Squeezed, wanted: string): Generator<Span> {
  if (wanted === '') return;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    yield { start: places[at] ?? 0, end: (places[at + wanted.length - 1] ?? 0) + 1 };
  }
}

/** @param gap what stands for white space */
function squeeze(text: string, gap: '' | ' '): Squeezed {
  const letters: string[] = [];
  const places: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const letter = text.charAt(index);
    const space = /\s/.test(letter);
    if (space && (gap === '' || letters.length === 0 || letters.at(-1) === gap)) continue;
    letters.push(space ? gap : letter);
    places.push(index);
  }
  return { text: letters.join(''), places };
}

/** Letter by letter, so that all keep their places: `İ` in lower case is two. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from(text, (letter) => {
    const small = letter.toLowerCase();
    return small.length === letter.length ? small : letter;
  }).join('');
}
