import { h, plainButton } from './h.ts';
import { afterDrawing, expandAround } from './redraw.ts';
import { type Span, TextIndex } from './textIndex.ts';

/** Names of the highlights, as in the style sheet. */
const ALL = 'turnlight-found';
const CURRENT = 'turnlight-found-current';

/** A part of the page to search, which may not be mounted yet. */
export interface SearchablePart {
  readonly element: HTMLElement;
  /** Adds the part to the page. */
  readonly mount: () => void;
}

/** Finds text in all parts, including collapsed and unmounted ones, which the editor's own find misses. */
export class FindBox {
  readonly element: HTMLElement;
  readonly #getParts: () => readonly SearchablePart[];
  readonly #input = h('input', {
    type: 'text',
    placeholder: 'Find',
    'aria-label': 'Find in the conversation',
    spellcheck: 'false',
  });
  readonly #count = h('span', { class: 'count', 'aria-live': 'polite' });
  #parts: readonly SearchablePart[] = [];
  #index: TextIndex | undefined;
  #found: readonly Span[] = [];
  #at = 0;
  /** The part where the search starts: the visible part, or the part with the current match. */
  #from: SearchablePart['element'] | undefined;
  /** The element that had the focus before. */
  #before: Element | null = null;

  /** @param parts returns all parts in page order */
  constructor(parts: () => readonly SearchablePart[]) {
    this.#getParts = parts;
    const button = (sign: string, name: string, onClick: () => void) =>
      plainButton({ class: 'step', 'aria-label': name }, onClick, sign);
    this.element = h(
      'div',
      { class: 'find', role: 'search', hidden: true },
      this.#input,
      this.#count,
      button('↑', 'Previous match', () => this.#step(-1)),
      button('↓', 'Next match', () => this.#step(1)),
      button('✕', 'Close', () => this.#close()),
    );
    this.#input.addEventListener('input', () => {
      this.#search();
      this.#at = this.#firstMatch();
      this.#reveal();
    });
    this.element.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.#close();
      else if (event.key !== 'Enter' || event.target !== this.#input) return;
      else this.#step(event.shiftKey ? -1 : 1);
      event.preventDefault();
    });
  }

  open(): void {
    if (this.element.hidden) this.#before = document.activeElement;
    this.element.hidden = false;
    this.refresh();
    this.#from = this.#firstInView();
    this.#input.focus();
    this.#input.select();
  }

  /** Searches again after the page has been redrawn. */
  refresh(): void {
    if (this.element.hidden) return;
    this.#index = undefined;
    this.#search();
    this.#paint();
  }

  #close(): void {
    const part = this.#partOf(this.#found[this.#at]);
    this.element.hidden = true;
    this.#found = [];
    this.#paint();
    part?.mount();
    const place = part?.element;
    const found = place?.matches('.turn') ? place : place?.querySelector('summary');
    const target = found ?? this.#before;
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
  }

  #search(): void {
    if (!this.#index) {
      this.#parts = this.#getParts();
      this.#index = new TextIndex(this.#parts.map(({ element }) => element));
    }
    this.#found = this.#index.findAll(this.#input.value);
    this.#at = Math.min(this.#at, Math.max(0, this.#found.length - 1));
  }

  #step(by: 1 | -1): void {
    const count = this.#found.length;
    this.#at = count === 0 ? 0 : (this.#at + by + count) % count;
    this.#from = this.#partOf(this.#found[this.#at])?.element;
    this.#reveal();
  }

  /** The first match after the search's starting point, which further typing doesn't move. */
  #firstMatch(): number {
    const placeOf = (from: Element | undefined) =>
      this.#parts.findIndex(({ element }) => element === from);
    if (placeOf(this.#from) < 0) this.#from = this.#firstInView();
    const from = placeOf(this.#from);
    const at = this.#found.findIndex((span) => (this.#index?.rootOf(span) ?? 0) >= from);
    return Math.max(0, at);
  }

  /** The first visible part below the bar. */
  #firstInView(): SearchablePart['element'] | undefined {
    const { bottom } = this.element.getBoundingClientRect();
    const found = this.#parts.find(
      ({ element }) => element.isConnected && element.getBoundingClientRect().bottom > bottom,
    );
    return found?.element;
  }

  #partOf(span: Span | undefined): SearchablePart | undefined {
    return span && this.#parts[this.#index?.rootOf(span) ?? 0];
  }

  #reveal(): void {
    this.#partOf(this.#found[this.#at])?.mount();
    const range = this.#current();
    const parent = range?.startContainer.parentElement ?? null;
    expandAround(parent);
    this.#paint();
    if (!range || !parent) return;
    parent.scrollIntoView({ block: 'nearest' });
    afterDrawing(() => {
      const { top, bottom } = range.getBoundingClientRect();
      window.scrollBy({ top: (top + bottom - window.innerHeight) / 2 });
    });
  }

  #paint(): void {
    const all = new Highlight();
    for (const span of this.#found) {
      for (const { node, from, to } of this.#index?.pieces(span) ?? []) {
        const ends = { startContainer: node, startOffset: from, endContainer: node, endOffset: to };
        all.add(new StaticRange(ends));
      }
    }
    const current = this.#current();
    CSS.highlights.set(ALL, all);
    CSS.highlights.set(CURRENT, current ? new Highlight(current) : new Highlight());
    const { length } = this.#found;
    const words = length === 0 ? 'No results' : `${this.#at + 1} of ${length}`;
    this.#count.textContent = this.#input.value.trim() === '' ? '' : words;
  }

  #current(): Range | undefined {
    const span = this.#found[this.#at];
    const pieces = (span && this.#index?.pieces(span)) ?? [];
    const [first] = pieces;
    const last = pieces.at(-1);
    if (!first || !last) return undefined;
    const range = document.createRange();
    range.setStart(first.node, first.from);
    range.setEnd(last.node, last.to);
    return range;
  }
}
