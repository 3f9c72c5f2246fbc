import type { LoadedSuite } from './loadedSuite.ts';

/** A renamed case. Its results are renamed as well. */
export interface RenamedCase {
  readonly suite: string;
  readonly from: string;
  readonly to: string;
  /** Hashes of the case's text before and after the rename, which changes only its id. */
  readonly hash: { readonly from: string; readonly to: string };
}

interface Name {
  readonly id: string;
  readonly hash: string;
}

interface Renaming {
  readonly suite: string;
  /** The case's ids so far; its results have the first one. */
  readonly names: readonly [Name, ...Name[]];
}

/** Maximum number of renames to remember. */
const MAX_RENAMES = 100;

/**
 * Tracks case renames that were sent to an editor. Results are renamed only once the new id is in the file, since an
 * edit can be refused or never applied; undoing the edit renames them back.
 */
export class CaseRenames {
  #renamings: readonly Renaming[] = [];

  expect(renamed: readonly RenamedCase[]): void {
    for (const { suite, from, to, hash } of renamed) {
      const isKnown = (one: Renaming) => one.suite === suite && one.names[0].id === from;
      const earlier = this.#renamings.find(isKnown)?.names.slice(1) ?? [];
      const others = earlier.filter(({ id }) => id !== to);
      const now = { id: from, hash: hash.from };
      const renaming: Renaming = { suite, names: [now, ...others, { id: to, hash: hash.to }] };
      const kept = this.#renamings.filter((one) => !isKnown(one));
      this.#renamings = [...kept, renaming].slice(-MAX_RENAMES);
    }
  }

  /** Returns the cases whose id no longer matches the id in their results. */
  seen({ path, outline }: Pick<LoadedSuite, 'path' | 'outline'>): RenamedCase[] {
    const renamed: RenamedCase[] = [];
    this.#renamings = this.#renamings.map((renaming) => {
      const { suite, names } = renaming;
      const [now, ...others] = names;
      if (suite !== path || outline.some(({ id }) => id === now.id)) return renaming;
      const to = others.find((name) =>
        outline.some(({ id, hash }) => id === name.id && hash === name.hash),
      );
      if (!to) return renaming;
      renamed.push({ suite, from: now.id, to: to.id, hash: { from: now.hash, to: to.hash } });
      return { suite, names: [to, ...names.filter((name) => name !== to)] };
    });
    return renamed;
  }
}
