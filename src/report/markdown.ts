import { failuresOf } from '../core/presentation/failureText.ts';
import { caseScoreText } from '../core/presentation/score.ts';
import { executionTitle, STATUS_ICONS, stopText } from '../core/presentation/words.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import { isFailure } from '../core/scoring.ts';
import { counted } from '../core/text/format.ts';
import { escapeLine, escapeMarkdown, paragraphs } from '../core/text/markdown.ts';
import { MARKDOWN } from './findings/layout.ts';
import { variantTexts } from './findings/variantReport.ts';
import type { ReportWriter, RunLog } from './reporter.ts';
import { createPaint, shownPath } from './style.ts';
import { summaryLines } from './summary.ts';

/** Maximum bytes. GitHub accepts step summaries of up to 1 MiB. */
const MAX_BYTES = 900_000;

const MAX_STOP_TEXT = 300;

/** A summary for a pull request or a CI step: the totals, then each failure and its lines. */
export const writeMarkdown: ReportWriter = function* (log, folder) {
  const sums = summaryLines(log, createPaint(false), log.duration);
  const list = sums.map((line) => `- ${escapeLine(line)}`).join('\n');
  const head = paragraphs(`# ${titleOf(log)}`, list, ...variantTexts(log.variants, MARKDOWN));
  yield `${withFailures(head, log, folder)}\n`;
};

/** The title; it starts with `✓` only if every planned case has passed. */
function titleOf({ results, end, unfinished }: RunLog): string {
  const bad = results.filter(isFailure).length;
  if (bad > 0)
    return `${STATUS_ICONS.fail} ${bad} of ${counted(results.length, 'eval')} did not pass`;
  if (end?.cancelled) return `${STATUS_ICONS.error} The run was canceled`;
  if (unfinished > 0) return `${STATUS_ICONS.error} ${unfinished} not finished`;
  const passed = results.some(({ status }) => status === 'pass');
  return passed ? `${STATUS_ICONS.pass} Evals passed` : `${STATUS_ICONS.skipped} No eval was run`;
}

/** Adds the failures that fit, and the number of those that don't. */
function withFailures(head: string, log: RunLog, folder: string): string {
  const parts = [head];
  const { failures } = log;
  let length = Buffer.byteLength(head);
  for (const line of log.lines(failures)) {
    const failure = failureOf(line, folder);
    length += Buffer.byteLength(failure) + 2;
    if (length > MAX_BYTES) {
      parts.push(
        `${counted(failures.length + 1 - parts.length, 'more failure')} did not fit in this summary.`,
      );
      break;
    }
    parts.push(failure);
  }
  return paragraphs(...parts);
}

function failureOf(line: CaseLine, folder: string): string {
  const score = caseScoreText(line);
  const stop = stopText(line);
  const scored = score === undefined ? '' : `, score ${score}`;
  return paragraphs(
    `## ${STATUS_ICONS[line.status]} ${escapeLine(executionTitle(line))}${scored}`,
    stop === undefined ? undefined : `Ended: ${escapeLine(stop, MAX_STOP_TEXT)}`,
    ...failuresOf(line).flatMap(({ source, text }) => [
      `**${escapeLine(`${shownPath(source.path, folder)}:${source.range.start.line + 1}`)}**`,
      escapeMarkdown(text).replace(/^/gm, '> '),
    ]),
  );
}
