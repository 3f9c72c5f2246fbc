import { errorText } from '../core/errors.ts';
import { counted } from '../core/text/format.ts';
import { CaseRenames, type RenamedCase } from '../evalfile/caseRenames.ts';
import type { LoadedSuite } from '../evalfile/loadedSuite.ts';
import { renameCase } from '../store/records/renameCase.ts';

export type RecordRenames = ReturnType<typeof recordRenames>;

/** Recorded results follow their cases to new ids, and back. */
export function recordRenames() {
  const renames = new CaseRenames();
  return {
    expect: (renamed: readonly RenamedCase[]) => renames.expect(renamed),
    /**
     * @param tell of results that keep the old id, and why
     * @returns those whose results have followed now
     */
    async seen(
      suite: LoadedSuite,
      tell: (message: string) => void,
    ): Promise<readonly RenamedCase[]> {
      const followed: RenamedCase[] = [];
      for (const one of renames.seen(suite)) {
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
