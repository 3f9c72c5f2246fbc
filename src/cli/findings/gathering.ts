import { basename } from 'node:path';
import type { Compared } from '../../analysis/differences.ts';
import type { Gathered } from '../../analysis/gather.ts';
import { visibleLine } from '../../core/presentation/visibleText.ts';
import { type EarlierRun, hasFinished } from '../../store/earlierRuns.ts';
import { recordLines } from '../../store/read.ts';
import type { Shell } from '../shell.ts';

/**
 * Reads the cases of a run one by one. What could not be read is told.
 *
 * @param gathered takes them; its names of suites are those of `suiteNames`
 * @throws what the signal is aborted with
 */
export async function gatherRun(
  { records }: EarlierRun,
  gathered: Gathered,
  shell: Shell,
  signal: AbortSignal,
): Promise<void> {
  for (const [root, record] of records) {
    for await (const line of recordLines(record, root)) {
      signal.throwIfAborted();
      if (line.kind === 'case') gathered.add(line);
      if (line.kind !== 'problem') continue;
      shell.err.write(`${visibleLine(basename(record))}, ${line.message}\n`);
    }
  }
}

/** All that is compared of a run. */
export async function comparable(
  found: EarlierRun,
  gathered: Gathered,
  shell: Shell,
  signal: AbortSignal,
): Promise<Compared> {
  await gatherRun(found, gathered, shell, signal);
  return { run: found.run, gathered, finished: await hasFinished(found) };
}
