/** What a person opened or closed, by `data-key`: it stays so when the part is drawn anew. */
export class Opened {
  readonly #opened = new Map<string, boolean>();

  constructor(root: HTMLElement) {
    root.addEventListener('click', ({ target }) => {
      const details = target instanceof Element && target.closest('summary')?.parentElement;
      if (!(details instanceof HTMLDetailsElement)) return;
      // The click comes before the element opens or closes.
      if (details.dataset.key) this.#opened.set(details.dataset.key, !details.open);
    });
  }

  /** Another conversation is shown. */
  forget(): void {
    this.#opened.clear();
  }

  /** Opens all that an element is folded in, and keeps it open. */
  open(element: Element): void {
    unfold(element);
    for (let at = element.closest('details'); at; ) {
      if (at.dataset.key) this.#opened.set(at.dataset.key, true);
      at = at.parentElement?.closest('details') ?? null;
    }
  }

  restore(element: HTMLElement): void {
    for (const details of [element, ...element.querySelectorAll('details')]) {
      if (!(details instanceof HTMLDetailsElement)) continue;
      const opened = this.#opened.get(details.dataset.key ?? '');
      if (opened !== undefined) details.open = opened;
    }
  }
}

/** Opens all that an element is folded in. */
export function unfold(element: Element | null): void {
  for (let details = element?.closest('details'); details; ) {
    details.open = true;
    details = details.parentElement?.closest('details');
  }
}
