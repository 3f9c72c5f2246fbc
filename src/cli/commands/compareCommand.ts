import { type Comparison, compareRuns } from '../../analysis/compareRuns.ts';
import { ComparisonData } from '../../analysis/comparisonData.ts';
import { suiteNames } from '../../analysis/suiteNames.ts';
import { inSteps, stepsOf } from '../../core/steps.ts';
import {
  comparisonJson,
  comparisonMarkdown,
  comparisonText,
} from '../../report/findings/comparisonReport.ts';
import { createPaint } from '../../report/paint.ts';
import { EXIT, type ExitCode, UsageError } from '../exitCode.ts';
import { comparable } from '../findings/gathering.ts';
import { chosenRun } from '../namedRun.ts';
import { coloursWanted } from '../reporters.ts';
import type { Shell } from '../shell.ts';

export interface CompareOptions {
  readonly failOn?: 'worse' | 'evidence';
  readonly format: 'terminal' | 'markdown' | 'json';
}

/** Tells what two runs differ by. @throws UsageError */
export async function compare(
  base: string,
  head: string,
  { failOn, format }: CompareOptions,
  shell: Shell,
): Promise<ExitCode> {
  const [before, after] = [
    await chosenRun(base, shell.folder),
    await chosenRun(head, shell.folder),
  ];
  if (before.run.id === after.run.id) {
    throw new UsageError(`${base} and ${head} are the same run, ${after.run.id}.`);
  }
  const signal = shell.catchInterrupt();
  try {
    const roots = [[...before.records.keys()], [...after.records.keys()]] as const;
    const names = [suiteNames(...roots), suiteNames(roots[1], roots[0])];
    const data = [
      await comparable(before, new ComparisonData(names[0]), shell, signal),
      await comparable(after, new ComparisonData(names[1]), shell, signal),
    ] as const;
    const comparison = await inSteps(compareRuns(...data), stepsOf(signal));
    for (const text of written(comparison, format, shell)) shell.out.write(text);
    return exitCodeOf(comparison, failOn);
  } catch (error) {
    if (signal.aborted) return EXIT.cancelled;
    throw error;
  }
}

function* written(
  comparison: Comparison,
  format: CompareOptions['format'],
  { out, folder, env }: Shell,
): Generator<string> {
  if (format === 'json') yield* comparisonJson(comparison);
  else if (format === 'markdown') yield comparisonMarkdown(comparison, folder);
  else yield comparisonText(comparison, createPaint(coloursWanted(out, env)), folder);
}

/** What passed and could not be judged any more is not taken for unchanged. */
function exitCodeOf({ cases, evidence }: Comparison, failOn: CompareOptions['failOn']): ExitCode {
  if (failOn === undefined) return EXIT.passed;
  const failed =
    failOn === 'worse'
      ? cases.some(({ outcome }) => outcome === 'worse')
      : evidence.some(({ says }) => says === 'worse');
  if (failed) return EXIT.failed;
  const errored = cases.some(({ outcome, head }) => outcome === 'undecided' && head?.errored);
  return errored ? EXIT.errored : EXIT.passed;
}
