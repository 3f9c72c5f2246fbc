/** Restores the keyboard focus after an editor of VS Code had it, or after what had it was drawn again. */
export class FocusRestorer {
  readonly #root: HTMLElement;
  readonly #fallback: () => HTMLElement | null;
  #last: Element | undefined;

  /** @param fallback gets the focus if nothing has the name of what had it */
  constructor(root: HTMLElement, fallback: () => HTMLElement | null = () => null) {
    this.#root = root;
    this.#fallback = fallback;
    root.addEventListener('focusin', ({ target }) => {
      if (target instanceof Element) this.#last = target;
    });
    window.addEventListener('focus', () => {
      if (this.#last && document.activeElement === document.body) this.#restore(this.#last);
    });
  }

  /** For when something else is shown. */
  reset(): void {
    this.#last = undefined;
  }

  /** Draws the page. What had the focus, or has its `data-focus` then, has it afterwards. */
  draw(change: () => void): void {
    const focused = document.activeElement;
    change();
    if (focused && focused !== document.body && focused !== document.activeElement) {
      this.#restore(focused);
    }
  }

  #restore(lost: Element): void {
    if (lost.isConnected && lost instanceof HTMLElement) {
      lost.focus({ preventScroll: true });
      return;
    }
    const place = lost.closest<HTMLElement>('[data-focus], .turn, .assertion, .bar');
    const name = place?.dataset.focus ?? place?.dataset.key ?? '';
    const again = this.#root.querySelector<HTMLElement>(`[data-focus="${CSS.escape(name)}"]`);
    (again ?? this.#fallback())?.focus({ preventScroll: true });
  }
}
