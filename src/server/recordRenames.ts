import { errorText } from '../core/errors.ts';
import { counted } from '../core/text/format.ts';
import type { CaseRenames, RenamedCase } from '../evalfile/caseRenames.ts';
import type { LoadedSuite } from '../evalfile/loadedSuite.ts';
import { renameCase } from '../store/records/renameCase.ts';

/**
 * Moves recorded results to their cases' new ids, and back if the rename was undone.
 *
 * @param report explains which results keep the old id, and why
 * @returns the cases whose results were moved
 */
export async function moveResults(
  suite: LoadedSuite,
  renames: CaseRenames,
  report: (message: string) => void,
): Promise<readonly RenamedCase[]> {
  const moved: RenamedCase[] = [];
  for (const one of renames.seen(suite)) {
    try {
      const { running } = await renameCase(one);
      if (running.length > 0) {
        const kept = `keep the old id in ${counted(running.length, 'unfinished run')}`;
        report(
          `The results of "${one.from}" ${kept}. When all runs have finished, run "${one.to}".`,
        );
      }
      moved.push(one);
    } catch (error) {
      report(`The results of "${one.from}" keep the old id. ${errorText(error)}`);
    }
  }
  return moved;
}
