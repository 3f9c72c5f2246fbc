import { type ComparableRun, type Comparison, compareRuns } from '../../analysis/compareRuns.ts';
import { ComparisonData, suiteNames } from '../../analysis/comparisonData.ts';
import { runCooperatively, stepsOf } from '../../node/cooperative.ts';
import { comparisonJson, comparisonReport } from '../../report/findings/comparisonReport.ts';
import { type EarlierRun, hasFinished } from '../../store/records/list.ts';
import { CASES_MISSING, EXIT, type ExitCode, UsageError } from '../exitCode.ts';
import { layoutFor } from '../reporters.ts';
import { addCases, findRunByName } from '../runs.ts';
import type { Shell } from '../shell.ts';

interface CompareOptions {
  readonly failOn?: 'worse' | 'evidence';
  readonly format: 'terminal' | 'markdown' | 'json';
}

/** Shows the differences between two runs. @throws UsageError */
export async function compare(
  baseName = 'previous',
  headName = 'last',
  { failOn, format }: CompareOptions,
  shell: Shell,
): Promise<ExitCode> {
  const [before, after] = [
    await findRunByName(baseName, shell.folder),
    await findRunByName(headName, shell.folder),
  ];
  if (before.run.id === after.run.id) {
    throw new UsageError(`${baseName} and ${headName} are the same run, ${after.run.id}.`);
  }
  const signal = shell.catchInterrupt();
  try {
    const roots = [[...before.records.keys()], [...after.records.keys()]] as const;
    const names = [suiteNames(...roots), suiteNames(roots[1], roots[0])];
    const base = await readRun(before, new ComparisonData(names[0]), shell, signal);
    const head = await readRun(after, new ComparisonData(names[1]), shell, signal);
    const comparison = await runCooperatively(compareRuns(base, head), stepsOf(signal));
    const shown = shell.scrubber.data(comparison);
    if (format === 'json') for (const text of comparisonJson(shown)) shell.out.report(text);
    else shell.out.report(comparisonReport(shown, layoutFor(format, shell), shell.folder));
    if (failOn === undefined) return EXIT.passed;
    const isComplete = [base, head].every((run) => run.finished && !run.isDamaged);
    if (!isComplete) shell.err.write(CASES_MISSING);
    return exitCodeOf(comparison, failOn, isComplete);
  } catch (error) {
    if (signal.aborted) return EXIT.cancelled;
    throw error;
  }
}

async function readRun(
  found: EarlierRun,
  data: ComparisonData,
  shell: Shell,
  signal: AbortSignal,
): Promise<ComparableRun & { readonly isDamaged: boolean }> {
  const isDamaged = await addCases(found, data, shell, signal);
  return { run: found.run, data, finished: await hasFinished(found), isDamaged };
}

/** A case that passed before and can't be judged now is an error. @param isComplete whether all cases were read */
function exitCodeOf(
  { cases, evidence }: Comparison,
  failOn: 'worse' | 'evidence',
  isComplete: boolean,
): ExitCode {
  const failed =
    failOn === 'worse'
      ? cases.some(({ outcome }) => outcome === 'worse')
      : evidence.some(({ says }) => says === 'worse');
  if (failed) return EXIT.failed;
  const errored = cases.some(({ outcome, head }) => outcome === 'undecided' && head?.errored);
  return errored || !isComplete ? EXIT.errored : EXIT.passed;
}
