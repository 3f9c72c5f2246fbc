import * as vscode from 'vscode';
import { firstFree } from '../../core/data/data.ts';
import type { ExpandedCase, SuiteCase } from '../../core/suite.ts';
import { labelText, visibleLine } from '../../core/text/visibleText.ts';
import { CaseRenames, type RenamedCase } from '../../evalfile/caseRenames.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import { toRange } from '../workspace.ts';
import { listedCases } from './listedCases.ts';
import { type ItemData, Repetitions } from './repetitions.ts';

type ListedCase = ReturnType<typeof listedCases>[number];

/**
 * Test items for cases and their conversations: file → case → variant. A renamed case keeps its item, including what VS
 * Code shows for it. Variants get their items once they are found.
 */
export class CaseItems {
  readonly #controller: Pick<vscode.TestController, 'createTestItem'>;
  readonly #data: WeakMap<vscode.TestItem, ItemData>;
  readonly repetitions: Repetitions;
  /** Keyed by file item, then by case id. */
  readonly #cases = new WeakMap<vscode.TestItem, Map<string, vscode.TestItem>>();
  readonly #renames = new CaseRenames();
  /** For each expanded case, the pattern and the files of its conversations. */
  readonly #expanded = new WeakMap<
    vscode.TestItem,
    { readonly several: string; readonly files: readonly string[] }
  >();

  /** @param data data of all items; data of items created here is added */
  constructor(
    controller: Pick<vscode.TestController, 'createTestItem'>,
    data: WeakMap<vscode.TestItem, ItemData>,
  ) {
    this.#controller = controller;
    this.#data = data;
    this.repetitions = new Repetitions(controller, data);
  }

  find(file: vscode.TestItem, id: string): vscode.TestItem | undefined {
    return this.#cases.get(file)?.get(id);
  }

  /** A variant's item. Creates it if needed, because a variant may run before it is listed. */
  findVariant(item: vscode.TestItem, variant: string): vscode.TestItem | undefined {
    if (this.#severalOf(item) === undefined || variant.includes('\0')) return undefined;
    return this.#variantItem(item, variant);
  }

  /** Lets cases keep their items when their file shows the new ids. */
  expectRenames(renamed: readonly RenamedCase[]): void {
    this.#renames.expect(renamed);
  }

  /**
   * Updates the items to match the file.
   *
   * @returns whether the file was shown before, and the cases whose conversations must be found again
   */
  show(
    file: vscode.TestItem,
    uri: vscode.Uri,
    suite: LoadedSuite,
  ): { readonly isKnown: boolean; readonly outdated: readonly vscode.TestItem[] } {
    const isKnown = this.#cases.has(file);
    const known = this.#cases.get(file) ?? new Map<string, vscode.TestItem>();
    for (const { from, to } of this.#renames.seen(suite)) {
      const renamed = known.get(from);
      if (renamed) known.set(to, renamed);
      known.delete(from);
    }
    const cases = new Map<string, vscode.TestItem>();
    const outdated: vscode.TestItem[] = [];
    for (const [index, one] of listedCases(suite.outline).entries()) {
      const item = this.#itemOf(file, one, known.get(one.id));
      cases.set(one.id, item);
      if (this.#update(item, uri, one, index)) outdated.push(item);
    }
    const shown = new Set(cases.values());
    for (const [key, item] of file.children) if (!shown.has(item)) file.children.delete(key);
    this.#cases.set(file, cases);
    return { isKnown, outdated };
  }

  #itemOf(
    file: vscode.TestItem,
    { id, path }: ListedCase,
    known: vscode.TestItem | undefined,
  ): vscode.TestItem {
    // A case that moved to another file needs a new item, because an item's URI can't change.
    if (known?.uri?.fsPath === path) return known;
    // A renamed case may still have an item with this id.
    const nameOf = (number: number) => (number === 1 ? id : `${id} ${number}`);
    const key = known?.id ?? firstFree(nameOf, (name) => file.children.get(name) !== undefined);
    const item = this.#controller.createTestItem(key, labelText(id), vscode.Uri.file(path));
    file.children.add(item);
    return item;
  }

  /** @returns whether its conversations must be found again */
  #update(item: vscode.TestItem, uri: vscode.Uri, found: ListedCase, index: number): boolean {
    const { id, several, repetitions: times } = found;
    this.#data.set(item, { kind: 'case', uri, id, times, several });
    item.label = labelText(id);
    item.range = toRange(found.range);
    item.description = labelText(found.description ?? '');
    item.tags = found.tags.map(tagOf);
    item.sortText = String(index).padStart(8, '0');
    for (const [key, child] of item.children) {
      const data = this.#data.get(child);
      const isVariant = data?.kind === 'variant';
      if (isVariant !== (several !== undefined)) item.children.delete(key);
      else if (isVariant) this.#variantItem(item, data.variant);
    }
    if (several === undefined) {
      this.repetitions.update(item);
      return false;
    }
    item.canResolveChildren = true;
    const expanded = this.#expanded.get(item);
    return expanded !== undefined && expanded.several !== several;
  }

  /** Whether a changed file may contain conversations of an expanded case. */
  mayContain(item: vscode.TestItem, path: string, isNew: boolean): boolean {
    const known = this.#expanded.get(item);
    if (!known) return false;
    return known.files.includes(path) || (isNew && /[*?[{]/.test(known.several));
  }

  /** Shows exactly these variants. @returns removed variants */
  showVariants(item: vscode.TestItem, { cases, files }: ExpandedCase): readonly string[] {
    const several = this.#severalOf(item);
    if (several === undefined) return [];
    this.#expanded.set(item, { several, files });
    const names = new Set<string>();
    for (const [index, one] of cases.entries()) {
      const { variant } = one;
      if (variant === undefined || variant.includes('\0')) continue;
      names.add(variant);
      const child = this.#variantItem(item, variant);
      child.sortText = String(index).padStart(8, '0');
      child.tags = one.tags.map(tagOf);
      child.description = ownTags(one, item);
    }
    const gone = [...item.children].map(([name]) => name).filter((name) => !names.has(name));
    for (const name of gone) item.children.delete(name);
    return gone;
  }

  /** Creates or updates a variant's item. */
  #variantItem(item: vscode.TestItem, variant: string): vscode.TestItem {
    const owner = this.#data.get(item);
    let child = item.children.get(variant);
    if (!child) {
      child = this.#controller.createTestItem(variant, labelText(variant), item.uri);
      item.children.add(child);
    }
    if (owner?.kind === 'case') {
      const { uri, id, times } = owner;
      this.#data.set(child, { kind: 'variant', uri, id, variant, times });
    }
    child.range = item.range;
    this.repetitions.update(child);
    return child;
  }

  #severalOf(item: vscode.TestItem): string | undefined {
    const data = this.#data.get(item);
    return data?.kind === 'case' ? data.several : undefined;
  }
}

/** The tags of a conversation that its case doesn't have. */
function ownTags({ tags }: SuiteCase, { tags: shared }: vscode.TestItem): string {
  const known = new Set(shared.map(({ id }) => id));
  return tags
    .map((tag) => visibleLine(tag))
    .filter((tag) => !known.has(tag.replaceAll(' ', '-')))
    .join(', ');
}

/** VS Code's tags can't contain spaces. */
function tagOf(tag: string): vscode.TestTag {
  return new vscode.TestTag(visibleLine(tag).replaceAll(' ', '-'));
}
