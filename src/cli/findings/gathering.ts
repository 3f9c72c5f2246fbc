import { basename } from 'node:path';
import type { ComparisonData } from '../../analysis/comparisonData.ts';
import type { Compared } from '../../analysis/differences.ts';
import { visibleLine } from '../../core/presentation/visibleText.ts';
import { type EarlierRun, hasFinished } from '../../store/records/list.ts';
import { readCases } from '../../store/records/runRecord.ts';
import type { Shell } from '../shell.ts';

/**
 * Reads the cases of a run one by one, and reports what could not be read.
 *
 * @param data gets them; its names of suites are those of `suiteNames`
 * @throws what the signal is aborted with
 */
export async function gatherRun(
  { records }: EarlierRun,
  data: ComparisonData,
  shell: Shell,
  signal: AbortSignal,
): Promise<void> {
  for (const [root, record] of records) {
    const { allProblems } = await readCases(record, root, (line) => {
      signal.throwIfAborted();
      data.add(line);
    });
    for (const one of allProblems) shell.err.write(`${visibleLine(basename(record))}, ${one}\n`);
  }
}

/** What is compared of a run. */
export async function comparable(
  found: EarlierRun,
  data: ComparisonData,
  shell: Shell,
  signal: AbortSignal,
): Promise<Compared> {
  await gatherRun(found, data, shell, signal);
  return { run: found.run, data, finished: await hasFinished(found) };
}
