/** What a person expanded or collapsed, by `data-key`: it stays so when the part is drawn again. */
export class ExpandedState {
  readonly #expanded = new Map<string, boolean>();

  constructor(root: HTMLElement) {
    root.addEventListener('click', ({ target }) => {
      const details = target instanceof Element && target.closest('summary')?.parentElement;
      if (!(details instanceof HTMLDetailsElement)) return;
      // The click comes before the element opens or closes.
      if (details.dataset.key) this.#expanded.set(details.dataset.key, !details.open);
    });
  }

  /** For when something else is shown. */
  reset(): void {
    this.#expanded.clear();
  }

  /** Expands all that an element is in, and keeps it so. */
  expand(element: Element): void {
    expandAround(element);
    for (let at = element.closest('details'); at; ) {
      if (at.dataset.key) this.#expanded.set(at.dataset.key, true);
      at = at.parentElement?.closest('details') ?? null;
    }
  }

  restore(element: HTMLElement): void {
    for (const details of [element, ...element.querySelectorAll('details')]) {
      if (!(details instanceof HTMLDetailsElement)) continue;
      const opened = this.#expanded.get(details.dataset.key ?? '');
      if (opened !== undefined) details.open = opened;
    }
  }
}

/** Expands all that an element is in. */
export function expandAround(element: Element | null): void {
  for (let details = element?.closest('details'); details; ) {
    details.open = true;
    details = details.parentElement?.closest('details');
  }
}
