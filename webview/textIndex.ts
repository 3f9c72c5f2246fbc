import { countFirst } from '../src/core/data/data.ts';
import { visibleText } from '../src/core/text/visibleText.ts';
import type { Status } from '../src/core/verdict.ts';
import { h } from './h.ts';
import { renderMarkdown } from './markdown.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

interface NormalizedText {
  readonly text: string;
  /** The original position of each character. */
  readonly offsets: readonly number[];
}

/** The text of elements as a single string, for finding text across element boundaries. */
export class TextIndex {
  readonly #text: string;
  readonly #nodes: Text[] = [];
  readonly #starts: number[] = [];
  readonly #roots: number[] = [];
  #words: NormalizedText | undefined;
  #lowerCase: NormalizedText | undefined;

  /** @param skipped selector for elements whose text is ignored */
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

  /** The index of the root in which a span begins. */
  rootOf({ start }: Span): number {
    return indexAt(this.#roots, start);
  }

  get length(): number {
    return this.#text.length;
  }

  /** Finds words regardless of white space, because the page adds line breaks to JSON. */
  findWords(words: string): Span | undefined {
    this.#words ??= squeeze(this.#text, '');
    const [first] = spansOf(this.#words, squeeze(words, '').text);
    return first;
  }

  /** Finds all occurrences. Ignores case, and treats any white space as one space. */
  findAll(text: string): Span[] {
    this.#lowerCase ??= squeeze(lowerCase(this.#text), ' ');
    const wanted = squeeze(lowerCase(text), ' ').text.trim();
    return [...spansOf(this.#lowerCase, wanted)];
  }

  /** The parts of text nodes in a span. */
  pieces({ start, end }: Span) {
    const pieces: { readonly node: Text; readonly from: number; readonly to: number }[] = [];
    const first = indexAt(this.#starts, start);
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

/** The index of the last start at or before an offset. */
function indexAt(starts: readonly number[], offset: number): number {
  return Math.max(0, countFirst(starts, (start) => start <= offset) - 1);
}

function* spansOf({ text, offsets }: NormalizedText, wanted: string): Generator<Span> {
  if (wanted === '') return;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    yield { start: offsets[at] ?? 0, end: (offsets[at + wanted.length - 1] ?? 0) + 1 };
  }
}

/** @param gap the replacement for white space */
function squeeze(text: string, gap: '' | ' '): NormalizedText {
  const letters: string[] = [];
  const offsets: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const letter = text.charAt(index);
    const space = /\s/.test(letter);
    if (space && (gap === '' || letters.length === 0 || letters.at(-1) === gap)) continue;
    letters.push(space ? gap : letter);
    offsets.push(index);
  }
  return { text: letters.join(''), offsets };
}

/** Text in lowercase with the same length: `İ`, for example, would become two characters. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from(text, (letter) => {
    const small = letter.toLowerCase();
    return small.length === letter.length ? small : letter;
  }).join('');
}

/** Statuses in the order in which they are painted; later ones are painted over earlier ones. */
const PAINT_ORDER: readonly Status[] = ['skipped', 'pass', 'error', 'fail'];

/** Marks quotes in texts, arguments, and results, and expands the elements that contain them. */
export function markQuotes(
  root: HTMLElement,
  quotes: readonly { readonly text: string; readonly status: Status }[],
): void {
  if (quotes.length === 0) return;
  const index = new TextIndex([root], '.label, .agent');
  const marked = new Uint8Array(index.length);
  for (const [level, status] of PAINT_ORDER.entries()) {
    for (const quote of quotes) {
      const span = quote.status === status ? find(index, quote.text) : undefined;
      if (span) marked.fill(level + 1, span.start, span.end);
    }
  }
  for (const { span, level } of runsOf(marked).reverse()) {
    const pieces = index
      .pieces(span)
      .filter(({ node, from, to }) => /\S/.test(node.data.slice(from, to)));
    for (const [place, { node, from, to }] of [...pieces.entries()].reverse()) {
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, to);
      const status = PAINT_ORDER[level - 1];
      range.surroundContents(h('mark', { 'data-status': status, 'data-first': place === 0 }));
    }
  }
  for (const details of root.querySelectorAll('details:has(mark)')) {
    details.setAttribute('open', '');
  }
}

/** Finds a quote. A judge quotes the Markdown source, but the page shows rendered text. */
function find(index: TextIndex, quote: string): Span | undefined {
  return (
    index.findWords(visibleText(quote)) ??
    index.findWords(renderMarkdown(quote).textContent ?? '') ??
    index.findWords(visibleText(quote.replace(/[*_`#>]/g, '')))
  );
}

function runsOf(marked: Uint8Array) {
  const runs: { span: Span; level: number }[] = [];
  let start = 0;
  for (let end = 1; end <= marked.length; end += 1) {
    if (marked[end] === marked[start]) continue;
    const level = marked[start] ?? 0;
    if (level > 0) runs.push({ span: { start, end }, level });
    start = end;
  }
  return runs;
}
