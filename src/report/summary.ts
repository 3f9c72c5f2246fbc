import { readable } from '../core/limits.ts';
import {
  type AssertionSummary,
  limitSummaries,
  summaries,
} from '../core/presentation/assertionSummary.ts';
import { scoreText } from '../core/presentation/score.ts';
import { samplesText } from '../core/presentation/verdictText.ts';
import {
  caseTitle,
  executionTitle,
  STATUS_ICONS,
  STATUS_WORDS,
} from '../core/presentation/words.ts';
import { passAtAll } from '../core/record/repetitions.ts';
import type { CaseSummary } from '../core/record/runRecord.ts';
import {
  cacheText,
  costText,
  counted,
  durationText,
  shareText,
  timesText,
} from '../core/text/format.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { statusSchema } from '../core/verdict.ts';
import type { CaseResult, RunLog } from './reporter.ts';
import type { Paint } from './style.ts';

/** The last lines of a report: assertion results, counts, and cost. */
export function summaryLines(log: RunLog, paint: Paint, milliseconds: number): string[] {
  const { cases, results } = log;
  const { listed, more } = limitSummaries(summaries(cases));
  return [
    ...listed.map(summaryLine),
    ...more,
    ...results.flatMap((result) => repetitionLine(result, paint)),
    ...passAtAllLine(results),
    ...unstableLines(cases),
    ...(log.end?.stopped === 'max-cost'
      ? ['Stopped: the next request could have exceeded the cost limit.']
      : []),
    `Cases: ${countText(results, paint)}${log.unfinished > 0 ? `, ${log.unfinished} not finished` : ''}`,
    `Model usage: ${usageText(log)}`,
    `Time: ${durationText(milliseconds)}`,
  ];
}

/** `✗ refund: 1 of 3 repetitions passed, all must; scores differ by up to 0.50` */
function repetitionLine(result: CaseResult, paint: Paint): string[] {
  const { lines, status, needed, spread } = result;
  const [first] = lines;
  if (first.repetitions === 1) return [];
  const passed = lines.filter((line) => line.status === 'pass').length;
  const must = needed >= 1 ? 'all must pass' : `${shareText(needed)} must pass`;
  const scores = !spread ? '' : `; scores differ by up to ${scoreText(spread)}`;
  const icon = paint.status(status, STATUS_ICONS[status]);
  return [
    `${icon} ${caseTitle(first)}: ${passed} of ${lines.length} repetitions passed, ${must}${scores}`,
  ];
}

/** Maximum number of lines about repetitions; nobody would read more. */
const MAX_REPETITIONS = 8;

/** `pass^1 0.83, pass^2 0.67: the chance that this many runs of a case all pass` */
function passAtAllLine(results: readonly CaseResult[]): string[] {
  const shares = passAtAll(results.map(({ lines }) => lines)).slice(0, MAX_REPETITIONS);
  if (shares.length === 0) return [];
  const shown = shares.map((share, index) => `pass^${index + 1} ${scoreText(share)}`).join(', ');
  return [`${shown}: the chance that this many runs of a case all pass`];
}

function countText(results: readonly CaseResult[], paint: Paint): string {
  return statusSchema.options
    .map((status) => {
      const count = results.filter((result) => result.status === status).length;
      const text = `${count} ${STATUS_WORDS[status]}`;
      return count > 0 ? paint.status(status, text) : text;
    })
    .join(', ');
}

/** Reports verdicts that differ between samples, because they are unreliable. */
function unstableLines(cases: readonly CaseSummary[]): string[] {
  return cases.flatMap((line) =>
    line.verdicts
      .filter(({ judge }) => judge?.unstable)
      .map(
        (verdict) =>
          `Unstable: ${executionTitle(line)}, ${visibleLine(verdict.assertion.name, 60)}: ${samplesText(verdict)}`,
      ),
  );
}

/** `Frustration mean 0.75, 2 of 3 passed: none ×2, unresolved ×1; 1 errored (quota ×1)`. */
function summaryLine(summary: AssertionSummary): string {
  const { name, mean, thresholds, passed, failed, skipped, errored, values } = summary;
  const scored =
    mean === null
      ? []
      : [`mean ${scoreText(mean, ...thresholds)}, ${passed} of ${passed + failed} passed`];
  const given = mean === null ? '' : countsText(values, ': ');
  const reasons = countsText(errored, ` (`, ')');
  const errors = Object.values(errored).reduce((sum, count) => sum + count, 0);
  const others = [
    ...(errors > 0 ? [`${errors} ${STATUS_WORDS.error}${reasons}`] : []),
    ...(skipped > 0 ? [`${skipped} ${STATUS_WORDS.skipped}`] : []),
  ].join(', ');
  const parts = [...scored.map((text) => text + given), ...(others === '' ? [] : [others])];
  return `${visibleLine(name, 60)} ${parts.join('; ')}`;
}

/** Counts such as `: yes ×2, no ×1`; empty if nothing was counted. */
function countsText(counts: Readonly<Record<string, number>>, before: string, after = ''): string {
  const parts = Object.entries(counts).map(([name, count]) =>
    timesText(visibleLine(name, 30), count),
  );
  return parts.length === 0 ? '' : `${before}${parts.join(', ')}${after}`;
}

function usageText(log: RunLog): string {
  const { calls, input_tokens, cached_tokens, output_tokens, cost } = log.usage;
  const cached = cached_tokens > 0 ? ` (${readable(cached_tokens)} cached)` : '';
  const price = cost === null ? '' : `, cost ${costText(cost)}`;
  const answers = cacheText(log.usage);
  const requests = [counted(calls, 'request'), ...(answers === undefined ? [] : [answers])];
  const tokens = `${readable(input_tokens)} input tokens${cached}, ${readable(output_tokens)} output tokens`;
  return `${requests.join(', ')}, ${tokens}${price}`;
}
