import { h } from './h.ts';
import { unfold } from './opened.ts';
import { afterDrawing } from './steady.ts';
import { type Span, TextIndex } from './textIndex.ts';

/** Names of the highlights in the style sheet. */
const ALL = 'turnlight-found';
const CURRENT = 'turnlight-found-current';

/** What is read at one go. */
const PARTS = '.turn, .assertion, .system';

/**
 * Finds text in all that the page holds, also in what is folded, which the editor's own find box
 * does not open.
 */
export class FindBox {
  readonly element: HTMLElement;
  readonly #content: HTMLElement;
  readonly #input = h('input', {
    type: 'text',
    placeholder: 'Find',
    'aria-label': 'Find in the conversation',
    spellcheck: 'false',
  });
  readonly #count = h('span', { class: 'count', 'aria-live': 'polite' });
  #index: TextIndex | undefined;
  #found: readonly Span[] = [];
  #at = 0;
  /** The part of the page from which is searched: that in view, or where one stepped to. */
  #from: Element | undefined;
  /** What had the focus before. */
  #before: Element | null = null;

  constructor(content: HTMLElement) {
    this.#content = content;
    const step = (sign: string, name: string, by: 1 | -1) => {
      const button = h('button', { class: 'step', type: 'button', 'aria-label': name }, sign);
      button.addEventListener('click', () => this.#step(by));
      return button;
    };
    const close = h('button', { class: 'step', type: 'button', 'aria-label': 'Close' }, '✕');
    close.addEventListener('click', () => this.#close());
    this.element = h(
      'div',
      { class: 'find', role: 'search', hidden: true },
      this.#input,
      this.#count,
      step('↑', 'Previous match', -1),
      step('↓', 'Next match', 1),
      close,
    );
    this.#input.addEventListener('input', () => {
      this.#search();
      this.#at = this.#firstHence();
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
    this.#from = this.#firstInView();
    this.refresh();
    this.#input.focus();
    this.#input.select();
  }

  /** The page was drawn anew. */
  refresh(): void {
    if (this.element.hidden) return;
    this.#index = undefined;
    this.#search();
    this.#paint();
  }

  #close(): void {
    const range = this.#current();
    this.element.hidden = true;
    this.#found = [];
    this.#paint();
    const place = range?.startContainer.parentElement?.closest<HTMLElement>('.turn, .assertion');
    const found = place?.matches('.turn') ? place : place?.querySelector('summary');
    const target = found ?? this.#before;
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
  }

  #search(): void {
    this.#index ??= new TextIndex(this.#content);
    this.#found = this.#index.findAll(this.#input.value);
    this.#at = Math.min(this.#at, Math.max(0, this.#found.length - 1));
  }

  #step(by: 1 | -1): void {
    const count = this.#found.length;
    this.#at = count === 0 ? 0 : (this.#at + by + count) % count;
    const span = this.#found[this.#at];
    this.#from = span && this.#partOf(span);
    this.#reveal();
  }

  /** Whoever types another letter goes on from the same place, wherever the last one led. */
  #firstHence(): number {
    if (!this.#from?.isConnected) this.#from = this.#firstInView();
    const from = this.#from;
    const at = this.#found.findIndex((span) => {
      const part = this.#partOf(span);
      if (!from || !part) return false;
      const { DOCUMENT_POSITION_FOLLOWING: behind } = Node;
      return part === from || (from.compareDocumentPosition(part) & behind) !== 0;
    });
    return Math.max(0, at);
  }

  /** The first part of the page below the bar. */
  #firstInView(): Element | undefined {
    const { bottom } = this.element.getBoundingClientRect();
    return [...this.#content.querySelectorAll(PARTS)].find(
      (part) => part.getBoundingClientRect().bottom > bottom,
    );
  }

  #partOf(span: Span): Element | undefined {
    const [first] = this.#index?.pieces(span) ?? [];
    return first?.node.parentElement?.closest(PARTS) ?? undefined;
  }

  #reveal(): void {
    const range = this.#current();
    const parent = range?.startContainer.parentElement ?? null;
    unfold(parent);
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
    return span && this.#rangeOf(span);
  }

  #rangeOf(span: Span): Range | undefined {
    const pieces = this.#index?.pieces(span) ?? [];
    const [first] = pieces;
    const last = pieces.at(-1);
    if (!first || !last) return undefined;
    const range = document.createRange();
    range.setStart(first.node, first.from);
    range.setEnd(last.node, last.to);
    return range;
  }
}
