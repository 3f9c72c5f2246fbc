import type { Snapshot } from '../src/protocol/viewProtocol.ts';
import { h } from './h.ts';
import type { Host } from './host.ts';
import { focusTurn, nextFailure } from './keyboard.ts';
import { type Filter, renderHeader } from './render/header.ts';
import { renderSystem, renderTurn } from './render/turn.ts';
import { renderVerdicts } from './render/verdicts.ts';

/**
 * The conversation on the page. Each snapshot is drawn anew, but turns that are as they were stay
 * the elements they are, and what a person opened, focused or scrolled to stays so.
 */
export class ConversationView {
  readonly #root: HTMLElement;
  readonly #host: Host;
  readonly #turns = new Map<number, { readonly key: string; readonly element: HTMLElement }>();
  /** What a person opened or closed, by `data-key`. */
  readonly #opened = new Map<string, boolean>();
  #snapshot: Snapshot | undefined;
  #filter: Filter = 'all';
  #rendered = true;

  constructor(root: HTMLElement, host: Host) {
    this.#root = root;
    this.#host = host;
    root.addEventListener('click', (event) => this.#noteToggle(event));
  }

  show(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    this.#host.keep(snapshot.state);
    this.#draw();
  }

  reveal(turn: number): void {
    this.#filter = 'all';
    this.#draw();
    const found = this.#root.querySelector<HTMLElement>(`[data-turn="${turn}"]`);
    if (found) focusTurn(found);
  }

  #draw(): void {
    const snapshot = this.#snapshot;
    if (!snapshot) return;
    const { scrollY } = window;
    const focused = document.activeElement?.closest<HTMLElement>('[data-focus]')?.dataset.focus;
    const status = snapshot.status ?? snapshot.phase;
    this.#root.replaceChildren(
      this.#header(snapshot),
      renderVerdicts(snapshot.verdicts, (index) =>
        this.#host.post({ kind: 'open-assertion', index }),
      ),
      this.#conversation(snapshot),
      h(
        'div',
        { class: 'hidden', role: 'status', 'aria-live': 'polite' },
        `${snapshot.state.id}: ${status}`,
      ),
    );
    this.#restoreOpened();
    window.scrollTo({ top: scrollY });
    if (focused === undefined) return;
    this.#root
      .querySelector<HTMLElement>(`[data-focus="${CSS.escape(focused)}"]`)
      ?.focus({ preventScroll: true });
  }

  #header(snapshot: Snapshot): HTMLElement {
    const { post } = this.#host;
    return renderHeader(snapshot, {
      filter: this.#filter,
      rendered: this.#rendered,
      onFilter: (filter) => {
        this.#filter = filter;
        this.#draw();
      },
      onRendered: (rendered) => {
        this.#rendered = rendered;
        this.#draw();
      },
      onRun: () => post({ kind: 'run' }),
      onCancel: () => post({ kind: 'cancel' }),
      onNextFailure: () => nextFailure(this.#root),
      onRepetition: (repetition) => post({ kind: 'show-repetition', repetition }),
    });
  }

  #conversation({ conversation, verdicts, phase }: Snapshot): HTMLElement {
    const { entries, notes } = conversation;
    if (entries.length === 0) {
      const words =
        phase === 'empty'
          ? 'This case has not run yet. Run it to see its conversation and verdicts.'
          : 'Nothing has been said yet.';
      return h('p', { class: 'empty' }, words);
    }
    const shown = entries.map((entry) => {
      if (entry.kind === 'system') return renderSystem(entry);
      const said = verdicts.filter(({ turns }) => turns.some(({ turn }) => turn === entry.number));
      const key = JSON.stringify([entry, said, this.#rendered]);
      const known = this.#turns.get(entry.number);
      if (known?.key === key) return known.element;
      const element = renderTurn(entry, said, {
        rendered: this.#rendered,
        onOpen: (turn) => this.#host.post({ kind: 'open-turn', turn }),
      });
      this.#turns.set(entry.number, { key, element });
      return element;
    });
    const first = shown.find((element) => element.matches('.turn'));
    if (first) first.tabIndex = 0;
    const failing = shown.filter((element) =>
      ['fail', 'error'].includes(element.dataset.status ?? ''),
    );
    return h(
      'section',
      { class: 'conversation', 'aria-label': 'Conversation' },
      ...(this.#filter === 'failing' ? failing : shown),
      this.#filter === 'failing' &&
        failing.length === 0 &&
        h('p', { class: 'empty' }, 'No turn fails.'),
      notes.length > 0 && h('ul', { class: 'notes' }, ...notes.map((note) => h('li', {}, note))),
    );
  }

  #noteToggle({ target }: Event): void {
    const summary = target instanceof Element ? target.closest('summary') : null;
    const details = summary?.parentElement;
    if (!(details instanceof HTMLDetailsElement) || !details.dataset.key) return;
    // The click comes before the element opens or closes.
    this.#opened.set(details.dataset.key, !details.open);
  }

  #restoreOpened(): void {
    for (const details of this.#root.querySelectorAll('details')) {
      const opened = this.#opened.get(details.dataset.key ?? '');
      if (opened !== undefined) details.open = opened;
    }
  }
}
