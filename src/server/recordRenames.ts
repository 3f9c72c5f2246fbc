import type { LoadedSuite } from '../evalfile/loadedSuite.ts';
import type { RenamedCase } from '../language/features/rename.ts';
import { renameCase } from '../store/renameCase.ts';

/**
 * Cases that a client was told how to rename. Their recorded results follow once the new id is seen in
 * the file: an edit may also be refused, or never applied.
 */
export class RecordRenames {
  #waiting: readonly RenamedCase[] = [];

  expect(renamed: readonly RenamedCase[]): void {
    this.#waiting = renamed;
  }

  async seen({ path, outline }: LoadedSuite): Promise<void> {
    const done = this.#waiting.filter(
      ({ suite, to, hash }) =>
        suite === path && outline.some((one) => one.id === to && one.hash === hash.to),
    );
    this.#waiting = this.#waiting.filter((one) => !done.includes(one));
    for (const one of done) await renameCase(one);
  }
}
