import type * as vscode from 'vscode';

/** An item's data: a case, one of its conversations, or repetitions of either. */
export type CaseData = {
  readonly uri: vscode.Uri;
  readonly id: string;
  /** The variant, if the case has several conversations. */
  readonly variant?: string | undefined;
} & (
  | {
      readonly kind: 'case';
      /** Number of repetitions; if the case has several conversations, the number for each of them. */
      readonly times: number;
      /** Identifies where its conversations come from, if it has several. */
      readonly several?: string | undefined;
    }
  | { readonly kind: 'variant'; readonly variant: string; readonly times: number }
  /** `repetition`: 1-based; for a page, its first repetition. */
  | { readonly kind: 'page' | 'repetition'; readonly repetition: number }
);

export type ItemData = { readonly kind: 'file'; readonly uri: vscode.Uri } | CaseData;

type RepeatedKind = 'page' | 'repetition';

/** Maximum number of repetitions under one item. If there are more, they are grouped into pages. */
export const PAGE_SIZE = 100;

/**
 * Test items for repetitions: case (or variant) → repetition, or case → page → repetition. An item is created only when
 * it is expanded or run, because thousands of cases may have a thousand repetitions each.
 */
export class Repetitions {
  readonly #controller: Pick<vscode.TestController, 'createTestItem'>;
  readonly #data: WeakMap<vscode.TestItem, ItemData>;
  readonly #expanded = new WeakSet<vscode.TestItem>();

  /** @param data data of all items; data of items created here is added */
  constructor(
    controller: Pick<vscode.TestController, 'createTestItem'>,
    data: WeakMap<vscode.TestItem, ItemData>,
  ) {
    this.#controller = controller;
    this.#data = data;
  }

  /** Updates the item's existing children. */
  update(item: vscode.TestItem): void {
    item.canResolveChildren = this.#timesOf(item) > 1;
    this.#updateIn(item, item);
  }

  /** Creates the children of a case or a page. */
  expand(parent: vscode.TestItem): void {
    this.#expanded.add(parent);
    const isPage = this.#data.get(parent)?.kind === 'page';
    const item = isPage ? parent.parent : parent;
    if (!item) return;
    const times = this.#timesOf(item);
    const first = isPage ? this.#numberOf(parent) : 1;
    const last = isPage ? Math.min(times, first + PAGE_SIZE - 1) : times;
    const step = !isPage && times > PAGE_SIZE ? PAGE_SIZE : 1;
    if (times === 1) return;
    for (let number = first; number <= last; number += step) {
      this.#child(parent, item, step === PAGE_SIZE ? 'page' : 'repetition', number);
    }
  }

  /** The item for a repetition, or for the case itself if it runs only once. */
  find(item: vscode.TestItem, repetition: number): vscode.TestItem | undefined {
    const times = this.#timesOf(item);
    if (times === 1) return item;
    if (repetition > times) return undefined;
    const first = repetition - ((repetition - 1) % PAGE_SIZE);
    const parent = times > PAGE_SIZE ? this.#child(item, item, 'page', first) : item;
    return this.#child(parent, item, 'repetition', repetition);
  }

  #updateIn(parent: vscode.TestItem, item: vscode.TestItem): void {
    const times = this.#timesOf(item);
    const kind = parent === item && times > PAGE_SIZE ? 'page' : 'repetition';
    for (const [id, child] of parent.children) {
      const stays = this.#data.get(child)?.kind === kind && this.#numberOf(child) <= times;
      if (!stays || times === 1) {
        parent.children.delete(id);
        continue;
      }
      this.#describe(child, item, kind);
      this.#updateIn(child, item);
    }
    if (this.#expanded.has(parent)) this.expand(parent);
  }

  #child(
    parent: vscode.TestItem,
    item: vscode.TestItem,
    kind: RepeatedKind,
    repetition: number,
  ): vscode.TestItem {
    const key = String(repetition);
    const known = parent.children.get(key);
    if (known) return known;
    const child = this.#controller.createTestItem(key, '', item.uri);
    child.canResolveChildren = kind === 'page';
    child.sortText = key.padStart(8, '0');
    this.#describe(child, item, kind);
    parent.children.add(child);
    return child;
  }

  /** Updates the item's label, range, and data, because the case may have a new id. */
  #describe(child: vscode.TestItem, item: vscode.TestItem, kind: RepeatedKind): void {
    const owner = this.#data.get(item);
    const times = this.#timesOf(item);
    const number = this.#numberOf(child);
    if (owner?.kind === 'case' || owner?.kind === 'variant') {
      const { uri, id, variant } = owner;
      this.#data.set(child, { kind, uri, id, variant, repetition: number });
    }
    const numbers =
      kind === 'page' ? `${number}–${Math.min(times, number + PAGE_SIZE - 1)}` : number;
    child.label = `${item.label} ${numbers}/${times}`;
    child.range = item.range;
  }

  #timesOf(item: vscode.TestItem): number {
    const data = this.#data.get(item);
    // If a case has several conversations, each one is repeated, not the case.
    const repeats =
      data?.kind === 'variant' || (data?.kind === 'case' && data.several === undefined);
    return repeats ? data.times : 1;
  }

  #numberOf(child: vscode.TestItem): number {
    return Number(child.id);
  }
}
