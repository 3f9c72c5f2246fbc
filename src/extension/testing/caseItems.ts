import * as vscode from 'vscode';
import { labelText } from '../../core/text/visibleText.ts';
import { CaseRenames, type RenamedCase } from '../../evalfile/caseRenames.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import { toRange } from '../locations.ts';
import { type ItemData, tagOf } from './itemData.ts';
import { listedCases } from './listedCases.ts';
import type { Repetitions } from './repetitions.ts';
import type { Variants } from './variants.ts';

export interface CaseItemsParts {
  readonly controller: Pick<vscode.TestController, 'createTestItem'>;
  readonly data: WeakMap<vscode.TestItem, ItemData>;
  readonly variants: Variants;
  readonly repetitions: Repetitions;
}

/** The items of cases: file → case. One that is renamed keeps its item, and so what VS Code shows of it. */
export class CaseItems {
  readonly #parts: CaseItemsParts;
  /** Of each file that was shown, by the ids of the cases. */
  readonly #cases = new WeakMap<vscode.TestItem, Map<string, vscode.TestItem>>();
  readonly #renames = new CaseRenames();

  constructor(parts: CaseItemsParts) {
    this.#parts = parts;
  }

  find(file: vscode.TestItem, id: string): vscode.TestItem | undefined {
    return this.#cases.get(file)?.get(id);
  }

  /** Cases keep their items once their file shows their other ids. */
  expectRenames(renamed: readonly RenamedCase[]): void {
    this.#renames.expect(renamed);
  }

  /**
   * Brings the items in step with the file.
   *
   * @returns whether it was shown before, and those whose conversations have to be found again
   */
  show(
    file: vscode.TestItem,
    uri: vscode.Uri,
    suite: LoadedSuite,
  ): { readonly isKnown: boolean; readonly outOfStep: readonly vscode.TestItem[] } {
    const isKnown = this.#cases.has(file);
    const known = this.#cases.get(file) ?? new Map<string, vscode.TestItem>();
    for (const { from, to } of this.#renames.seen(suite)) {
      const renamed = known.get(from);
      if (renamed) known.set(to, renamed);
      known.delete(from);
    }
    const cases = new Map<string, vscode.TestItem>();
    const outOfStep: vscode.TestItem[] = [];
    for (const [index, one] of listedCases(suite.outline).entries()) {
      const item = this.#itemOf(file, one, known.get(one.id));
      cases.set(one.id, item);
      if (this.#update(item, uri, one, index)) outOfStep.push(item);
    }
    const shown = new Set(cases.values());
    for (const [key, item] of file.children) if (!shown.has(item)) file.children.delete(key);
    this.#cases.set(file, cases);
    return { isKnown, outOfStep };
  }

  #itemOf(
    file: vscode.TestItem,
    { id, path }: ListedCase,
    known: vscode.TestItem | undefined,
  ): vscode.TestItem {
    // A case that moved to another file is another item: where an item stands cannot be changed.
    if (known?.uri?.fsPath === path) return known;
    const key = known?.id ?? freeKey(file, id);
    const item = this.#parts.controller.createTestItem(key, labelText(id), vscode.Uri.file(path));
    file.children.add(item);
    return item;
  }

  /** @returns whether its conversations have to be found again */
  #update(item: vscode.TestItem, uri: vscode.Uri, found: ListedCase, index: number): boolean {
    const { id, several, repetitions: times } = found;
    const { data, variants, repetitions } = this.#parts;
    data.set(item, { kind: 'case', uri, id, times, ...(several !== undefined && { several }) });
    item.label = labelText(id);
    item.range = toRange(found.range);
    item.description = labelText(found.description ?? '');
    item.tags = found.tags.map(tagOf);
    item.sortText = String(index).padStart(8, '0');
    const isOutOfStep = variants.update(item);
    if (several === undefined) repetitions.update(item);
    return isOutOfStep;
  }
}

type ListedCase = ReturnType<typeof listedCases>[number];

/** The id of a case; where a case has that item that was renamed since, another one. */
function freeKey({ children }: vscode.TestItem, id: string): string {
  let key = id;
  for (let number = 2; children.get(key); number += 1) key = `${id} ${number}`;
  return key;
}
