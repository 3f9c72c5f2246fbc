import { type FailingCases, failingCases } from '../../core/failingCases.ts';
import type { CaseRef } from '../../core/identity.ts';
import type { ViewState } from '../../protocol/viewProtocol.ts';
import { keptHomes } from '../../store/home.ts';
import type { LatestRuns } from '../../store/latest.ts';

/** The failing cases of the run that is shown. @param shown the case among which it stands */
export async function failingIn(
  runs: LatestRuns,
  { record, root }: Pick<ViewState, 'record' | 'root'>,
  shown: CaseRef,
): Promise<FailingCases | undefined> {
  if (record === undefined) return undefined;
  const { entries } = await runs.index(record, root);
  // A record knows an eval file by the path without links.
  const { path } = keptHomes(shown.suite);
  return failingCases(entries, { ...shown, suite: path });
}
