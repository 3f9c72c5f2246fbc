import type * as vscode from 'vscode';
import type { ExpandedCase, SuiteCase } from '../../core/suite.ts';
import { labelText, visibleLine } from '../../core/text/visibleText.ts';
import { type ItemData, tagOf } from './itemData.ts';
import type { Repetitions } from './repetitions.ts';

/** Makes test items. */
type Maker = Pick<vscode.TestController, 'createTestItem'>;

/** The items of the conversations that a case stands for: case → variant, made once they are found. */
export class Variants {
  readonly #controller: Maker;
  readonly #data: WeakMap<vscode.TestItem, ItemData>;
  readonly #repetitions: Repetitions;
  /** What each unfolded case was found by, and in which files. */
  readonly #unfolded = new WeakMap<
    vscode.TestItem,
    { readonly several: string; readonly files: readonly string[] }
  >();

  constructor(
    controller: Maker,
    data: WeakMap<vscode.TestItem, ItemData>,
    repetitions: Repetitions,
  ) {
    this.#controller = controller;
    this.#data = data;
    this.#repetitions = repetitions;
  }

  /** Brings what is there in step with its case. @returns whether its conversations have to be found again */
  update(item: vscode.TestItem): boolean {
    const several = this.#severalOf(item);
    for (const [id, child] of item.children) {
      const data = this.#data.get(child);
      const isVariant = data?.kind === 'variant';
      if (isVariant !== (several !== undefined)) item.children.delete(id);
      else if (isVariant) this.#child(item, data.variant);
    }
    if (several === undefined) return false;
    item.canResolveChildren = true;
    const known = this.#unfolded.get(item);
    return known !== undefined && known.several !== several;
  }

  /** Whether a file that has changed may hold conversations of an unfolded case. */
  mayHold(item: vscode.TestItem, path: string, isNew: boolean): boolean {
    const known = this.#unfolded.get(item);
    if (!known) return false;
    return known.files.includes(path) || (isNew && /[*?[{]/.test(known.several));
  }

  /** Shows what was found, and nothing else. @returns the variants that are gone */
  show(
    item: vscode.TestItem,
    { cases, files }: Pick<ExpandedCase, 'cases' | 'files'>,
  ): readonly string[] {
    const several = this.#severalOf(item);
    if (several === undefined) return [];
    this.#unfolded.set(item, { several, files });
    const names = new Set<string>();
    for (const [index, one] of cases.entries()) {
      const { variant } = one;
      if (variant === undefined || variant.includes('\0')) continue;
      names.add(variant);
      const child = this.#child(item, variant);
      child.sortText = String(index).padStart(8, '0');
      child.tags = one.tags.map(tagOf);
      child.description = ownTags(one, item);
    }
    const gone = [...item.children].map(([name]) => name).filter((name) => !names.has(name));
    for (const name of gone) item.children.delete(name);
    return gone;
  }

  /** The item of a variant, also of one that was not found yet: it has run. */
  find(item: vscode.TestItem, variant: string): vscode.TestItem | undefined {
    const isThere = this.#severalOf(item) !== undefined && !variant.includes('\0');
    return isThere ? this.#child(item, variant) : undefined;
  }

  #child(item: vscode.TestItem, variant: string): vscode.TestItem {
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
    this.#repetitions.update(child);
    return child;
  }

  #severalOf(item: vscode.TestItem): string | undefined {
    const data = this.#data.get(item);
    return data?.kind === 'case' ? data.several : undefined;
  }
}

/** The tags that a conversation has besides those of its case. */
function ownTags({ tags }: SuiteCase, { tags: shared }: vscode.TestItem): string {
  const known = new Set(shared.map(({ id }) => id));
  return tags
    .map((tag) => visibleLine(tag))
    .filter((tag) => !known.has(tag.replaceAll(' ', '-')))
    .join(', ');
}
