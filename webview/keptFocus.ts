/** Keeps the place of the keyboard where it is taken: by an editor of VS Code that gets the focus, or by drawing anew. */
export class KeptFocus {
  readonly #root: HTMLElement;
  readonly #bar: HTMLElement;
  #last: Element | undefined;

  /** @param bar gets the focus where nothing stands in the place of what had it */
  constructor(root: HTMLElement, bar: HTMLElement) {
    this.#root = root;
    this.#bar = bar;
    root.addEventListener('focusin', ({ target }) => {
      if (target instanceof Element) this.#last = target;
    });
    window.addEventListener('focus', () => {
      if (this.#last && document.activeElement === document.body) this.giveBack(this.#last);
    });
  }

  /** Another conversation is shown. */
  forget(): void {
    this.#last = undefined;
  }

  /** What had the focus, or what stands in its place, gets it. */
  giveBack(lost: Element): void {
    if (lost.isConnected && lost instanceof HTMLElement) {
      lost.focus({ preventScroll: true });
      return;
    }
    const place = lost.closest<HTMLElement>('[data-focus], .turn, .assertion, .bar');
    const name = place?.dataset.focus ?? place?.dataset.key;
    const again =
      this.#root.querySelector<HTMLElement>(`[data-focus="${CSS.escape(name ?? '')}"]`) ??
      this.#bar.querySelector<HTMLElement>('[data-focus]');
    again?.focus({ preventScroll: true });
  }
}
