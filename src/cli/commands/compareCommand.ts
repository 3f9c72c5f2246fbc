import { type ComparableRun, type Comparison, compareRuns } from '../../analysis/compareRuns.ts';
import type { VariantDifference } from '../../analysis/compareVariants.ts';
import { ComparisonData, suiteNames } from '../../analysis/comparisonData.ts';
import { VariantData } from '../../analysis/variantData.ts';
import { runCooperatively, stepsOf } from '../../node/cooperative.ts';
import {
  comparisonJson,
  comparisonReport,
  variantsJson,
  variantsReport,
} from '../../report/findings/comparisonReport.ts';
import { type EarlierRun, hasFinished } from '../../store/records/list.ts';
import { CASES_MISSING, EXIT, type ExitCode, UsageError } from '../exitCode.ts';
import { layoutFor } from '../reporters.ts';
import { addCases, findRunByName } from '../runs.ts';
import type { Shell } from '../shell.ts';

interface CompareOptions {
  readonly variants?: boolean;
  readonly failOn?: 'worse' | 'evidence';
  readonly format: 'terminal' | 'markdown' | 'json';
}

/** Shows the differences between two runs, or between the variants in one run. @throws UsageError */
export async function compare(
  first: string | undefined,
  second: string | undefined,
  options: CompareOptions,
  shell: Shell,
): Promise<ExitCode> {
  if (!options.variants) return compareTwo(first, second, options, shell);
  if (second === undefined) return compareVariantsOf(first, options, shell);
  throw new UsageError('--variants compares the variants of one run. Pass only one.');
}

async function compareTwo(
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

async function compareVariantsOf(
  name = 'last',
  { failOn, format }: CompareOptions,
  shell: Shell,
): Promise<ExitCode> {
  const found = await findRunByName(name, shell.folder);
  const signal = shell.catchInterrupt();
  try {
    const data = new VariantData(suiteNames([...found.records.keys()]));
    const isDamaged = await addCases(found, data, shell, signal);
    const finished = await hasFinished(found);
    const reports = await runCooperatively(data.compare(found.run, finished), stepsOf(signal));
    if (reports.length === 0) {
      throw new UsageError(
        `Run ${found.run.id} has no two variants of a target to compare. Add \`variants\` to its file, or run two files that include the same cases.`,
      );
    }
    const shown = shell.scrubber.data(reports);
    if (format === 'json') for (const text of variantsJson(shown)) shell.out.report(text);
    else shell.out.report(variantsReport(shown, layoutFor(format, shell), shell.folder));
    if (failOn === undefined) return EXIT.passed;
    if (isDamaged || !finished) shell.err.write(CASES_MISSING);
    const isComplete = finished && !isDamaged;
    const codes = reports.flatMap(({ summary, others }) => [
      ...others.map((one) => exitCodeOf(one.comparison, failOn, isComplete)),
      ...(failOn === 'evidence' && summary.differences.some(isWorse) ? [EXIT.failed] : []),
    ]);
    return [EXIT.failed, EXIT.errored].find((code) => codes.includes(code)) ?? EXIT.passed;
  } catch (error) {
    if (signal.aborted) return EXIT.cancelled;
    throw error;
  }
}

function isWorse({ passes, scores }: VariantDifference): boolean {
  return passes?.says === 'worse' || scores?.says === 'worse';
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

/**
 * The exit code for a comparison. A case that passed before but can't be judged now is an error.
 *
 * @param isComplete whether all cases were read
 */
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
