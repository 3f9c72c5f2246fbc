interface CachedElement {
  readonly signature: string;
  readonly element: HTMLElement;
}

/**
 * Elements by name, made again only if what they show has changed. In a run a snapshot comes many
 * times a second: a menu that a person has open, the focus and the scroll position stay.
 */
export class ElementCache {
  readonly #elements = new Map<string, CachedElement>();
  readonly #onMade: (element: HTMLElement) => void;

  constructor(onMade: (element: HTMLElement) => void = () => {}) {
    this.#onMade = onMade;
  }

  /** For when something else is shown. */
  reset(): void {
    this.#elements.clear();
  }

  /** @param shown all that the element depends on, as JSON can hold it */
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

/** Puts these elements into a parent, in this order, without touching those already in position. */
export function place(parent: Element, wanted: readonly Element[]): void {
  const stays = new Set(wanted);
  for (const child of [...parent.children]) if (!stays.has(child)) child.remove();
  let there = parent.firstElementChild;
  let added: Element[] = [];
  // At one go: with much of the page selected, the browser takes long for each.
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
