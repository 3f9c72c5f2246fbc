import { errorText } from '../core/errors.ts';
import { counted } from '../core/presentation/amounts.ts';
import type { LoadedSuite } from '../evalfile/loadedSuite.ts';
import type { RenamedCase } from '../language/features/rename.ts';
import { renameCase } from '../store/renameCase.ts';

export type RecordRenames = ReturnType<typeof recordRenames>;

/**
 * Cases that a client was told how to rename. Their recorded results follow once the new id is seen in
 * the file: an edit may also be refused, or never applied.
 */
export function recordRenames() {
  let waiting: readonly RenamedCase[] = [];
  return {
    expect(renamed: readonly RenamedCase[]): void {
      waiting = renamed;
    },
    /**
     * @param tell of results that keep the old id, and why
     * @returns those whose results have followed now
     */
    async seen(
      { path, outline }: LoadedSuite,
      tell: (message: string) => void,
    ): Promise<readonly RenamedCase[]> {
      const isDone = ({ suite, to, hash }: RenamedCase) =>
        suite === path && outline.some((one) => one.id === to && one.hash === hash.to);
      const done = waiting.filter(isDone);
      waiting = waiting.filter((one) => !isDone(one));
      const followed: RenamedCase[] = [];
      for (const one of done) {
        try {
          const { running } = await renameCase(one);
          if (running.length > 0) tell(runningText(one, running.length));
          followed.push(one);
        } catch (error) {
          tell(`The results of "${one.from}" keep its old id. ${errorText(error)}`);
        }
      }
      return followed;
    },
  };
}

function runningText({ from, to }: RenamedCase, runs: number): string {
  return `The results of "${from}" keep its old id in ${counted(runs, 'run')} still running. Run "${to}" afterwards.`;
}
