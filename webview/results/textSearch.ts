import type { ToResults } from '../../src/protocol/resultsProtocol.ts';
import { h } from '../h.ts';
import { FIND_KEY } from '../keyboard.ts';

export interface TextSearchActions {
  readonly onText: (text: string) => void;
  /** More is known of what holds the text. */
  readonly onFound: () => void;
  /** Who has typed goes on in the table. */
  readonly onLeave: () => void;
  /** Looks into the executions behind those that were looked into. */
  readonly ask: (search: number, text: string, from: number) => void;
}

/** Milliseconds without a key before a text is looked for. */
const PAUSE = 150;

/** The box for a text, and the cases that hold it: who has the whole record looks, and tells piece by piece. */
export class TextSearch {
  readonly element: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #actions: TextSearchActions;
  #text: string;
  #cases = new Set<number>();
  #looked = 0;
  #asked = 0;
  #search = 0;
  #all = 0;
  #timer = 0;

  constructor(text: string, actions: TextSearchActions) {
    this.#actions = actions;
    this.#text = text;
    this.#input = h('input', {
      type: 'search',
      placeholder: `Filter: turns, reasons, names (/)`,
      'aria-label': 'Filter by text',
      'aria-keyshortcuts': '/ Control+F',
      title: `Filter by text (/ or ${FIND_KEY})`,
      spellcheck: 'false',
      maxlength: '1000',
      'data-focus': 'text',
    });
    this.#input.value = text;
    this.element = h('span', { class: 'find', role: 'search' }, this.#input);
    this.#input.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#begin(), PAUSE);
    });
    this.#input.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && this.#input.value !== '') this.#input.value = '';
      else if (!['Escape', 'Enter', 'ArrowDown'].includes(event.key)) return;
      clearTimeout(this.#timer);
      this.#begin();
      if (event.key !== 'Escape' || this.#text === '') actions.onLeave();
      event.preventDefault();
    });
  }

  /** Those that hold the text, as far as it is known; undefined where none is looked for. */
  get cases(): ReadonlySet<number> | undefined {
    return this.#text.trim() === '' ? undefined : this.#cases;
  }

  /** The share that was looked through; undefined where nothing is looked for. */
  progress(all: number): number | undefined {
    return this.#text.trim() === '' || this.#looked >= all ? undefined : this.#looked / all;
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#input.value = '';
    this.#begin();
  }

  focus(): void {
    this.#input.focus();
    this.#input.select();
  }

  /** What was found counts no more. */
  reset(): void {
    this.#cases = new Set();
    this.#looked = 0;
    this.#asked = 0;
    this.#all = 0;
  }

  /** There are so many executions now: new ones are looked into as well. */
  grow(all: number): void {
    this.#all = all;
    const isAsking = this.#asked > this.#looked;
    if (this.#text.trim() !== '' && !isAsking && all > this.#looked) this.#ask();
  }

  found({ search, cases, looked, done }: Extract<ToResults, { kind: 'found' }>): void {
    if (search !== this.#search) return;
    for (const one of cases) this.#cases.add(one);
    this.#looked = looked;
    if (done) this.grow(this.#all);
    this.#actions.onFound();
  }

  #begin(): void {
    const text = this.#input.value;
    if (text === this.#text) return;
    this.#text = text;
    this.#cases = new Set();
    this.#looked = 0;
    this.#ask();
    this.#actions.onText(text);
  }

  #ask(): void {
    this.#search += 1;
    this.#asked = this.#all;
    this.#actions.ask(this.#search, this.#text, this.#looked);
  }
}
