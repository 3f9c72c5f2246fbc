import {
  type Agreement,
  type AgreementRow,
  agreementOf,
  readLabeledRuns,
} from '../../analysis/agreement.ts';
import { type Thresholds, thresholdsOf } from '../../analysis/thresholds.ts';
import { scoreText } from '../../core/presentation/score.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { agreementReport, thresholdsReport } from '../../report/findings/agreementReport.ts';
import { streamJson } from '../../report/streamJson.ts';
import { EXIT, type ExitCode, UsageError } from '../exitCode.ts';
import type { Least } from '../options.ts';
import { findEvalFiles } from '../paths.ts';
import { NO_LABELS, reportLabelProblems } from '../problems.ts';
import { layoutFor } from '../reporters.ts';
import type { Shell } from '../shell.ts';
import { readCases } from '../suites.ts';

interface AgreementOptions {
  readonly format: 'terminal' | 'markdown' | 'json';
  readonly thresholds?: boolean;
  readonly failUnder?: readonly Least[];
}

/** Shows how well judges agree with labels. @throws UsageError */
export async function agreement(
  globs: readonly string[],
  { format, thresholds = false, failUnder = [] }: AgreementOptions,
  shell: Shell,
): Promise<ExitCode> {
  const signal = shell.catchInterrupt();
  const files = await findEvalFiles(globs, shell.folder);
  const read = await readLabeledRuns(files, (file) => readCases(file, shell), signal);
  if (!read) return EXIT.cancelled;
  const { labels, problems, data, casesIn } = read;
  reportLabelProblems(problems, shell);
  if (labels.length === 0 && problems.length === 0) throw new UsageError(NO_LABELS);
  const { items, ...agreed } = agreementOf(labels, data, casesIn);
  const found = shell.scrubber.data(agreed);
  const best = thresholds ? shell.scrubber.data(thresholdsOf(items)) : undefined;
  for (const text of formatted(found, best, format, shell)) shell.out.report(text);
  const code = checkLimits(found, failUnder, shell);
  return problems.length > 0 ? EXIT.invalid : code;
}

function* formatted(
  found: Agreement,
  thresholds: readonly Thresholds[] | undefined,
  format: AgreementOptions['format'],
  shell: Shell,
): Generator<string> {
  if (format === 'json') {
    yield* streamJson(thresholds ? { ...found, thresholds } : found);
    yield '\n';
  } else {
    const layout = layoutFor(format, shell);
    yield agreementReport(found, layout, shell.folder);
    if (thresholds) yield `\n${thresholdsReport(thresholds, layout)}`;
  }
}

/**
 * Reports judges whose measures are below a limit.
 *
 * @returns `errored` if a measure is undefined or nothing was compared
 */
function checkLimits(
  { rows, unmatched }: Agreement,
  least: readonly Least[],
  shell: Shell,
): ExitCode {
  const each = rows.filter(({ assertion }) => assertion !== undefined);
  if (least.length === 0) return EXIT.passed;
  const compared = new Set(each.map(({ assertion }) => assertion?.key));
  const labeled = new Set(unmatched.map(({ label }) => label.assertion));
  const lost = [...labeled].filter((key) => !compared.has(key));
  for (const key of lost) {
    shell.err.write(
      `${visibleLine(key)}: no run has a verdict for its labels. Run its cases, or delete the labels.\n`,
    );
  }
  let code: ExitCode = each.length === 0 || lost.length > 0 ? EXIT.errored : EXIT.passed;
  for (const row of each) {
    for (const { measure, value } of least) {
      const own = measuredBy(row, measure);
      if (own !== null && own >= value) continue;
      const of = `${visibleLine(row.judge)}, ${visibleLine(row.assertion?.name ?? '')} (${row.of})`;
      shell.err.write(
        own === null
          ? `${of}: ${measure} can't be computed: there are too few labels, or they are all the same.\n`
          : `${of}: ${measure} ${scoreText(own, value)} is below ${scoreText(value)}.\n`,
      );
      if (own !== null) code = EXIT.failed;
      else if (code === EXIT.passed) code = EXIT.errored;
    }
  }
  return code;
}

function measuredBy(row: AgreementRow, measure: Least['measure']): number | null {
  return measure === 'kappa' ? (row.kappa?.kappa ?? null) : row[measure];
}
