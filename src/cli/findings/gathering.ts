import { basename, relative, sep } from 'node:path';
import type { Compared } from '../../analysis/differences.ts';
import type { Gathered } from '../../analysis/gather.ts';
import { visibleLine } from '../../core/presentation/visibleText.ts';
import { type EarlierRun, hasFinished } from '../../store/earlierRuns.ts';
import { recordLines } from '../../store/read.ts';
import type { Shell } from '../shell.ts';

/**
 * Reads the cases of a run one by one. What could not be read is told.
 *
 * @param gathered takes them; its names of suites are those of `namesIn`
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

/**
 * A suite by its path from the root, which is the same in another checkout; by its whole path where runs have
 * records at several roots.
 */
export function namesIn(
  found: EarlierRun,
  others: readonly EarlierRun[],
): (suite: string) => string {
  const [root = '', ...more] = found.records.keys();
  if (more.length > 0 || others.some(({ records }) => records.size > 1)) return (suite) => suite;
  return (suite) => relative(root, suite).split(sep).join('/');
}
