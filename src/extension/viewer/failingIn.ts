import {
  type CaseRef,
  executionKey,
  type FailingCases,
  failingCases,
} from '../../core/identity.ts';
import { isFailure } from '../../core/verdict.ts';
import type { ViewState } from '../../protocol/viewProtocol.ts';
import { findExistingDataFolders } from '../../store/dataFolder.ts';
import type { LatestRuns } from '../../store/records/latest.ts';
import { asRead } from '../testing/readingOrder.ts';

/** The failing cases of the run that is shown, as one reads its files. @param shown the case among which it stands */
export async function failingIn(
  runs: LatestRuns,
  { record, root }: Pick<ViewState, 'record' | 'root'>,
  shown: CaseRef,
): Promise<FailingCases | undefined> {
  if (record === undefined) return undefined;
  const { cases } = await runs.record(record, root);
  // A record knows an eval file by the path without links.
  const { path } = findExistingDataFolders(shown.suite);
  const own = { ...shown, suite: path };
  const wanted = cases.filter((one) => isFailure(one) || executionKey(one) === executionKey(own));
  return failingCases(asRead(wanted), own);
}
