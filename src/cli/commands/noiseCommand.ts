import { ComparisonData } from '../../analysis/comparisonData.ts';
import { judgeNoise } from '../../analysis/noise.ts';
import { visibleJson } from '../../core/presentation/visibleText.ts';
import { noiseMarkdown, noiseText } from '../../report/findings/noiseReport.ts';
import { type EarlierRun, earlierRuns } from '../../store/records/list.ts';
import { findEvalFiles } from '../evalFiles.ts';
import { EXIT, type ExitCode, UsageError } from '../exitCode.ts';
import { gatherRun } from '../findings/gathering.ts';
import { chosenRun } from '../namedRun.ts';
import type { Shell } from '../shell.ts';

export interface NoiseOptions {
  readonly format: 'terminal' | 'markdown' | 'json';
}

/** Without a name, as many runs are read, the newest. */
export const NOISE_RUNS = 20;

/** Tells how often judges change their verdicts on the same conversation. @throws UsageError */
export async function noise(
  names: readonly string[],
  { format }: NoiseOptions,
  shell: Shell,
): Promise<ExitCode> {
  const { folder } = shell;
  const runs = names.length === 0 ? await newest(folder) : await chosen(names, folder);
  if (runs.length === 0) throw new UsageError('No run of these files is kept. Run them first.');
  const signal = shell.catchInterrupt();
  const data = new ComparisonData();
  try {
    for (const run of runs) await gatherRun(run, data, shell, signal);
  } catch (error) {
    if (signal.aborted) return EXIT.cancelled;
    throw error;
  }
  const rows = judgeNoise(data.cases.values());
  if (format === 'json') shell.out.write(`${visibleJson(rows)}\n`);
  else shell.out.write(format === 'markdown' ? noiseMarkdown(rows) : noiseText(rows));
  return EXIT.passed;
}

/** A merged run holds verdicts of other runs, and a recording gives the same answer each time. */
async function newest(folder: string): Promise<EarlierRun[]> {
  const runs: EarlierRun[] = [];
  for await (const one of earlierRuns(await findEvalFiles([], folder))) {
    if (one.run.merged_from || one.run.options.replay !== undefined) continue;
    runs.push(one);
    if (runs.length === NOISE_RUNS) break;
  }
  return runs;
}

/** Each once. */
async function chosen(names: readonly string[], folder: string): Promise<EarlierRun[]> {
  const runs = new Map<string, EarlierRun>();
  for (const name of names) {
    const found = await chosenRun(name, folder);
    runs.set(found.run.id, found);
  }
  return [...runs.values()];
}
