import { h } from './h.ts';
import { type IndexRange, rangeBetween } from './indexRange.ts';
import { setChildren } from './redraw.ts';
import type { BadgeStatus } from './render/status.ts';

/** An item in a list, created only when it is near the view. */
export interface Item {
  /** Unique within the list, and the same in later lists. */
  readonly name: string;
  readonly kind: 'turn' | 'other';
  readonly failure: boolean;
  /** Set for assistant turns and judged turns. */
  readonly badge?: BadgeStatus | undefined;
  /** `data-focus` values of elements inside the item that navigation can stop at. */
  readonly inner?: readonly string[];
  /** Estimated height in pixels, until it is measured. */
  readonly height: number;
  /** Creates the item's element. Returns the same element as long as its content stays the same. */
  readonly make: () => HTMLElement;
}

/** Maximum number of items that are all mounted. */
const MAX_UNVIRTUALIZED = 50;

/** Number of items to mount above and below the view. */
const OVERSCAN = 5;

/** The margin below each item in pixels, as in the style sheet. */
const GAP = 12;

/**
 * A list that mounts only items near the view, with empty space for the rest. Items are in normal flow, so that the
 * browser's scroll anchoring keeps the visible text in place when empty space is replaced by items of other heights.
 */
export class VirtualList {
  readonly #list: HTMLElement;
  readonly #heights = new Map<string, number>();
  /** The names of the first and last item that an element represents. */
  readonly #names = new WeakMap<Element, readonly [string, string]>();
  readonly #sizes = new ResizeObserver((changes) => this.#measure(changes));
  #items: readonly Item[] = [];
  #drawn = new Set<Element>();
  /** The name of an item that stays mounted even outside the view, like the focused item. */
  #pinned: string | undefined;
  #printing = false;
  /** Whether text is selected. If so, the selected items stay mounted, so that they can be copied. */
  #selecting = false;

  constructor(list: HTMLElement) {
    this.#list = list;
    window.addEventListener('scroll', () => this.#draw(), { passive: true });
    window.addEventListener('resize', () => this.#draw());
    document.addEventListener('selectionchange', () => {
      if (this.#selecting || this.#selected()) this.#draw();
    });
    for (const event of ['beforeprint', 'afterprint']) {
      window.addEventListener(event, () => {
        this.#printing = event === 'beforeprint';
        this.#draw();
      });
    }
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  show(items: readonly Item[]): void {
    this.#items = items;
    this.#draw();
  }

  /** Must be called before another conversation is shown, because its turns have the same names. */
  reset(): void {
    this.#heights.clear();
    this.#pinned = undefined;
  }

  pin(name: string | undefined): void {
    this.#pinned = name;
  }

  /** Mounts an item even if it is outside the view. */
  mount({ name, make }: Item): HTMLElement {
    this.pin(name);
    this.#draw();
    return make();
  }

  #measure(changes: readonly ResizeObserverEntry[]): void {
    let changed = false;
    for (const { target } of changes) {
      const [name] = this.#names.get(target) ?? [];
      const { height } = target.getBoundingClientRect();
      if (name === undefined || height === 0 || this.#heights.get(name) === height) continue;
      this.#heights.set(name, height);
      changed = true;
    }
    if (changed) requestAnimationFrame(() => this.#draw());
  }

  /** The range of items in the selection. */
  #selected(): IndexRange | undefined {
    const selection = document.getSelection();
    if (!selection || selection.isCollapsed) return undefined;
    const touched = [...this.#list.children].filter((one) => selection.containsNode(one, true));
    const names = touched.flatMap((one) => this.#names.get(one) ?? []);
    const first = this.#items.findIndex(({ name }) => name === names[0]);
    const last = this.#items.findIndex(({ name }) => name === names.at(-1));
    return first < 0 || last < 0 ? undefined : { first, end: last + 1 };
  }

  #draw(): void {
    const { near, first } = this.#near();
    const children = this.#children(near);
    const drawn = new Set<Element>(children.filter((one) => !one.matches('.space')));
    for (const element of this.#drawn) if (!drawn.has(element)) this.#sizes.unobserve(element);
    setChildren(this.#list, children);
    for (const element of drawn) if (!this.#drawn.has(element)) this.#sizes.observe(element);
    this.#drawn = drawn;
    this.#describe(near, first);
  }

  /** The items to mount, by index. `first` is the first visible or nearly visible item. */
  #near() {
    const items = this.#items;
    const near = new Set<number>();
    const add = ({ first, end }: IndexRange) => {
      for (let index = first; index < end; index += 1) near.add(index);
    };
    const { top } = this.#list.getBoundingClientRect();
    const overscan = this.#printing || items.length <= MAX_UNVIRTUALIZED ? items.length : OVERSCAN;
    const inView = rangeBetween(this.#heightsOf(items), -top, window.innerHeight - top, overscan);
    add(inView);
    const selected = this.#selected();
    this.#selecting = selected !== undefined;
    if (selected) add(selected);
    const focused = [...this.#drawn].find((one) => one.contains(document.activeElement));
    const [held] = (focused && this.#names.get(focused)) ?? [];
    for (const [index, { name }] of items.entries()) {
      if (name === this.#pinned || name === held) near.add(index);
    }
    return { near, first: inView.first };
  }

  #heightsOf(items: readonly Item[]): number[] {
    return items.map(({ name, height }) => (this.#heights.get(name) ?? height) + GAP);
  }

  /** The mounted items, and empty space between them. */
  #children(near: ReadonlySet<number>): HTMLElement[] {
    const children: HTMLElement[] = [];
    let left: Item[] = [];
    const add = (element: HTMLElement, first: Item, last: Item) => {
      this.#names.set(element, [first.name, last.name]);
      children.push(element);
    };
    const leave = () => {
      const [first] = left;
      const last = left.at(-1);
      if (first && last) add(space(this.#heightsOf(left)), first, last);
      left = [];
    };
    for (const [index, item] of this.#items.entries()) {
      if (!near.has(index)) {
        left.push(item);
        continue;
      }
      leave();
      add(item.make(), item, item);
    }
    leave();
    return children;
  }

  /** Sets the position of each turn for screen readers, and makes the first visible turn reachable with Tab. */
  #describe(near: ReadonlySet<number>, first: number): void {
    const places = [...this.#items.keys()].filter((index) => this.#items[index]?.kind === 'turn');
    const tabbed = places.find((index) => index >= first);
    for (const [number, index] of places.entries()) {
      const element = near.has(index) && this.#items[index]?.make();
      if (!element) continue;
      element.setAttribute('aria-posinset', String(number + 1));
      element.setAttribute('aria-setsize', String(places.length));
      element.tabIndex = index === tabbed ? 0 : -1;
    }
  }
}

function space(heights: readonly number[]): HTMLElement {
  const element = h('div', { class: 'space', 'aria-hidden': 'true' });
  element.style.height = `${heights.reduce((sum, height) => sum + height, 0)}px`;
  return element;
}
