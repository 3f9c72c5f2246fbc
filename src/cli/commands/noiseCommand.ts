import { ComparisonData } from '../../analysis/comparisonData.ts';
import { judgeNoise } from '../../analysis/noise.ts';
import { uniqueBy } from '../../core/data/data.ts';
import { visibleJson } from '../../core/text/visibleText.ts';
import { noiseReport } from '../../report/findings/noiseReport.ts';
import { type EarlierRun, earlierRuns } from '../../store/records/list.ts';
import { EXIT, type ExitCode, UsageError } from '../exitCode.ts';
import { DEFAULT_NOISE_RUNS } from '../options.ts';
import { findEvalFiles } from '../paths.ts';
import { layoutFor } from '../reporters.ts';
import { addCases, findRunByName, NO_RUNS } from '../runs.ts';
import type { Shell } from '../shell.ts';

interface NoiseOptions {
  readonly format: 'terminal' | 'markdown' | 'json';
}

/** Shows how often judges change their verdict on the same conversation. @throws UsageError */
export async function noise(
  names: readonly string[],
  { format }: NoiseOptions,
  shell: Shell,
): Promise<ExitCode> {
  const { folder } = shell;
  const runs = names.length === 0 ? await newestRuns(folder) : await namedRuns(names, folder);
  if (runs.length === 0) throw new UsageError(NO_RUNS);
  const signal = shell.catchInterrupt();
  const data = new ComparisonData();
  try {
    for (const run of runs) await addCases(run, data, shell, signal);
  } catch (error) {
    if (signal.aborted) return EXIT.cancelled;
    throw error;
  }
  const rows = shell.scrubber.data(judgeNoise(data.cases.values()));
  if (format === 'json') shell.out.report(`${visibleJson(rows)}\n`);
  else shell.out.report(noiseReport(rows, layoutFor(format, shell)));
  return EXIT.passed;
}

/** Skips merged runs, which repeat verdicts from other runs, and replays, whose answers never change. */
async function newestRuns(folder: string): Promise<EarlierRun[]> {
  const runs: EarlierRun[] = [];
  for await (const one of earlierRuns(await findEvalFiles([], folder))) {
    if (one.run.merged_from || one.run.options.replay !== undefined) continue;
    runs.push(one);
    if (runs.length === DEFAULT_NOISE_RUNS) break;
  }
  return runs;
}

async function namedRuns(names: readonly string[], folder: string): Promise<EarlierRun[]> {
  const runs: EarlierRun[] = [];
  for (const name of names) runs.push(await findRunByName(name, folder));
  return uniqueBy(runs, ({ run }) => run.id);
}
