import { place } from './elementCache.ts';
import { h } from './h.ts';
import { type IndexRange, rangeBetween } from './indexRange.ts';
import type { BadgeStatus } from './render/status.ts';

/** Something of a list, which is made only once it comes near the view. */
export interface Item {
  /** Of its own in the list. The same name stands for the same thing in the next list. */
  readonly name: string;
  readonly kind: 'turn' | 'other';
  readonly failure: boolean;
  /** Of a turn of the assistant, or one that was judged. */
  readonly badge?: BadgeStatus;
  /** The `data-focus` of what in it is gone to by itself. */
  readonly inner?: readonly string[];
  /** What it is taken to be high until it is measured, in pixels. */
  readonly height: number;
  /** The same element as long as it shows the same. */
  readonly make: () => HTMLElement;
}

/** What is to be on the page, by its place in the list. */
interface Near {
  readonly near: ReadonlySet<number>;
  /** Where what is in or beside the view begins. */
  readonly first: number;
}

/** So many are all on the page. */
const FEW = 50;

/** How many are drawn above and below the view. */
const BESIDE = 5;

/** What is under each item; the style sheet says the same. */
const GAP = 12;

/**
 * A list of which only what is near the view is on the page, with empty stretches for the rest. What
 * one reads stays in its place as the stretches become items of other heights: the browser's scroll
 * anchoring sees to that, which is why items stand in the flow.
 */
export class VirtualList {
  readonly #list: HTMLElement;
  readonly #heights = new Map<string, number>();
  /** The names of the first and the last item that a part of the page stands for. */
  readonly #names = new WeakMap<Element, readonly [string, string]>();
  readonly #sizes = new ResizeObserver((changes) => this.#measure(changes));
  #items: readonly Item[] = [];
  #drawn = new Set<Element>();
  /** Stays on the page wherever the view is, as what has the focus does. */
  #pinned: string | undefined;
  #printing = false;
  /** Whether some of it is selected: all of that is drawn, so that it can be copied. */
  #selecting = false;

  constructor(list: HTMLElement) {
    this.#list = list;
    window.addEventListener('scroll', () => this.#draw(), { passive: true });
    window.addEventListener('resize', () => this.#draw());
    document.addEventListener('selectionchange', () => {
      if (this.#selecting || this.#selected()) this.#draw();
    });
    window.addEventListener('beforeprint', () => this.#print(true));
    window.addEventListener('afterprint', () => this.#print(false));
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  show(items: readonly Item[]): void {
    this.#items = items;
    this.#draw();
  }

  /** For when another conversation is shown, whose turns have the same names. */
  reset(): void {
    this.#heights.clear();
    this.#pinned = undefined;
  }

  pin(name: string | undefined): void {
    this.#pinned = name;
  }

  /** Puts an item on the page, wherever the view is. */
  bring({ name, make }: Item): HTMLElement {
    this.pin(name);
    this.#draw();
    return make();
  }

  #print(printing: boolean): void {
    this.#printing = printing;
    this.#draw();
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

  /** From where to where it is selected. */
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
    const found = this.#near();
    const children = this.#children(found.near);
    const drawn = new Set<Element>(children.filter((one) => !one.matches('.space')));
    for (const element of this.#drawn) if (!drawn.has(element)) this.#sizes.unobserve(element);
    place(this.#list, children);
    for (const element of drawn) if (!this.#drawn.has(element)) this.#sizes.observe(element);
    this.#drawn = drawn;
    this.#tell(found);
  }

  #near(): Near {
    const items = this.#items;
    const near = new Set<number>();
    const add = ({ first, end }: IndexRange) => {
      for (let index = first; index < end; index += 1) near.add(index);
    };
    const { top } = this.#list.getBoundingClientRect();
    const beside = this.#printing || items.length <= FEW ? items.length : BESIDE;
    const inView = rangeBetween(this.#heightsOf(items), -top, window.innerHeight - top, beside);
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

  /** Items, and empty stretches for those between. */
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

  /** Says which turn of how many each is, and lets Tab reach the first one beside the view. */
  #tell({ near, first }: Near): void {
    const places = [...this.#items.keys()].filter((index) => this.#items[index]?.kind === 'turn');
    const tabbed = places.find((index) => index >= first);
    for (const [number, index] of places.entries()) {
      if (!near.has(index)) continue;
      const element = this.#items[index]?.make();
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
