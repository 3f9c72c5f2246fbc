/**
 * Stores elements by name, and recreates them only if their content has changed. During a run, snapshots arrive many
 * times per second, and open menus, the focus, and the scroll position must survive.
 */
export class ElementCache {
  readonly #elements = new Map<string, { signature: string; element: HTMLElement }>();
  readonly #onMade: (element: HTMLElement) => void;

  constructor(onMade: (element: HTMLElement) => void = () => {}) {
    this.#onMade = onMade;
  }

  reset(): void {
    this.#elements.clear();
  }

  /** @param shown everything that the element depends on, as JSON */
  get(name: string, shown: unknown, make: () => HTMLElement): HTMLElement {
    const signature = JSON.stringify(shown);
    const known = this.#elements.get(name);
    if (known?.signature === signature) return known.element;
    const element = make();
    this.#onMade(element);
    this.#elements.set(name, { signature, element });
    return element;
  }
}

/** Sets an element's children without touching those that are already in position. */
export function setChildren(parent: Element, wanted: readonly Element[]): void {
  const stays = new Set(wanted);
  for (const child of [...parent.children]) if (!stays.has(child)) child.remove();
  let there = parent.firstElementChild;
  let added: Element[] = [];
  // In a single step, because each insertion is slow if much of the page is selected.
  const add = () => {
    if (there) there.before(...added);
    else parent.append(...added);
    added = [];
  };
  for (const element of wanted) {
    if (element !== there) {
      added.push(element);
      continue;
    }
    if (added.length > 0) add();
    there = there.nextElementSibling;
  }
  add();
}

/** Remembers what the user expanded or collapsed, by `data-key`. */
export class ExpandedState {
  readonly #expanded = new Map<string, boolean>();

  constructor(root: HTMLElement) {
    root.addEventListener('click', ({ target }) => {
      const details = target instanceof Element && target.closest('summary')?.parentElement;
      if (!(details instanceof HTMLDetailsElement)) return;
      // The click event comes before the change.
      if (details.dataset.key) this.#expanded.set(details.dataset.key, !details.open);
    });
  }

  reset(): void {
    this.#expanded.clear();
  }

  /** Expands everything around an element, permanently. */
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

/** Expands everything around an element. */
export function expandAround(element: Element | null): void {
  for (let details = element?.closest('details'); details; ) {
    details.open = true;
    details = details.parentElement?.closest('details');
  }
}

/** Restores the keyboard focus after the focus was in another editor, or after the focused element was redrawn. */
export class FocusRestorer {
  readonly #root: HTMLElement;
  readonly #fallback: () => HTMLElement | null;
  #last: Element | undefined;

  /** @param fallback returns the element to focus if the previously focused one is gone */
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

  reset(): void {
    this.#last = undefined;
  }

  /** Draws the page and restores the focus to the same element or `data-focus`. */
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

/**
 * Changes the page without moving the element that the user is reading. The browser does this only if the element
 * isn't recreated.
 *
 * @param change gets the visible element, if any
 * @param covered pixels at the top that are covered
 */
export function keepScrollPosition(
  places: () => readonly HTMLElement[],
  covered: number,
  change: (read: HTMLElement | undefined) => void,
): void {
  const isVisible = (one: HTMLElement) => one.getBoundingClientRect().bottom > covered;
  const read = window.scrollY > 0 ? places().find(isVisible) : undefined;
  const top = read?.getBoundingClientRect().top ?? 0;
  change(read);
  if (!read || read.isConnected) return;
  afterDrawing(() => {
    const again = places().find((one) => one.dataset.focus === read.dataset.focus);
    if (again) window.scrollBy({ top: again.getBoundingClientRect().top - top });
  });
}

/** Runs an action now, and again once newly mounted elements have their actual heights. */
export function afterDrawing(action: () => void): void {
  action();
  requestAnimationFrame(() => {
    action();
    requestAnimationFrame(action);
  });
}
