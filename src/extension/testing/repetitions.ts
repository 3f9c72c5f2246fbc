import type * as vscode from 'vscode';
import type { ItemData, RepeatedData } from './itemData.ts';

/** As many repetitions stand under one item; of more, each hundred has an item of its own. */
export const PAGE = 100;

/**
 * The items of repetitions: case (or variant) → repetition, or case → page → repetition. Each is made when what is
 * above it is unfolded or when its outcome comes: thousands of cases may have a thousand each.
 */
export class Repetitions {
  readonly #controller: Pick<vscode.TestController, 'createTestItem'>;
  readonly #data: WeakMap<vscode.TestItem, ItemData>;
  readonly #unfolded = new WeakSet<vscode.TestItem>();

  /** @param data of all items; those that are made here join it */
  constructor(
    controller: Pick<vscode.TestController, 'createTestItem'>,
    data: WeakMap<vscode.TestItem, ItemData>,
  ) {
    this.#controller = controller;
    this.#data = data;
  }

  /** Brings what is there in step with its case. */
  update(item: vscode.TestItem): void {
    item.canResolveChildren = this.#timesOf(item) > 1;
    this.#updateIn(item, item);
  }

  /** Makes what stands under a case or a page. */
  unfold(holder: vscode.TestItem): void {
    this.#unfolded.add(holder);
    const isPage = this.#data.get(holder)?.kind === 'page';
    const item = isPage ? holder.parent : holder;
    if (!item) return;
    const times = this.#timesOf(item);
    const first = isPage ? this.#numberOf(holder) : 1;
    const last = isPage ? Math.min(times, first + PAGE - 1) : times;
    const step = !isPage && times > PAGE ? PAGE : 1;
    if (times === 1) return;
    for (let number = first; number <= last; number += step) {
      this.#child(holder, item, step === PAGE ? 'page' : 'repetition', number);
    }
  }

  /** The item of a repetition; the case itself if it runs once. */
  find(item: vscode.TestItem, repetition: number): vscode.TestItem | undefined {
    const times = this.#timesOf(item);
    if (times === 1) return item;
    if (repetition > times) return undefined;
    const first = repetition - ((repetition - 1) % PAGE);
    const holder = times > PAGE ? this.#child(item, item, 'page', first) : item;
    return this.#child(holder, item, 'repetition', repetition);
  }

  #updateIn(holder: vscode.TestItem, item: vscode.TestItem): void {
    const times = this.#timesOf(item);
    const kind = holder === item && times > PAGE ? 'page' : 'repetition';
    for (const [id, child] of holder.children) {
      const stays = this.#data.get(child)?.kind === kind && this.#numberOf(child) <= times;
      if (!stays || times === 1) {
        holder.children.delete(id);
        continue;
      }
      this.#describe(child, item, kind);
      this.#updateIn(child, item);
    }
    if (this.#unfolded.has(holder)) this.unfold(holder);
  }

  #child(
    holder: vscode.TestItem,
    item: vscode.TestItem,
    kind: RepeatedData['kind'],
    repetition: number,
  ): vscode.TestItem {
    const key = String(repetition);
    const known = holder.children.get(key);
    if (known) return known;
    const child = this.#controller.createTestItem(key, '', item.uri);
    child.canResolveChildren = kind === 'page';
    child.sortText = key.padStart(8, '0');
    this.#describe(child, item, kind);
    holder.children.add(child);
    return child;
  }

  /** Its case may have another id than before. */
  #describe(child: vscode.TestItem, item: vscode.TestItem, kind: RepeatedData['kind']): void {
    const owner = this.#data.get(item);
    const times = this.#timesOf(item);
    const number = this.#numberOf(child);
    if (owner?.kind === 'case' || owner?.kind === 'variant') {
      const { uri, id, variant } = owner;
      const ofVariant = variant === undefined ? {} : { variant };
      this.#data.set(child, { kind, uri, id, ...ofVariant, repetition: number });
    }
    const numbers = kind === 'page' ? `${number}–${Math.min(times, number + PAGE - 1)}` : number;
    child.label = `${item.label} ${numbers}/${times}`;
    child.range = item.range;
  }

  #timesOf(item: vscode.TestItem): number {
    const data = this.#data.get(item);
    // Of several conversations each is repeated by itself.
    const repeats =
      data?.kind === 'variant' || (data?.kind === 'case' && data.several === undefined);
    return repeats ? data.times : 1;
  }

  #numberOf(child: vscode.TestItem): number {
    return Number(child.id);
  }
}
