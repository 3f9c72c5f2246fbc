import { failuresOf } from '../core/presentation/failureText.ts';
import { escapeLine, escapeMarkdown, paragraphs } from '../core/presentation/markdown.ts';
import { scoreText } from '../core/presentation/score.ts';
import { STATUS_ICONS } from '../core/presentation/status.ts';
import type { CaseLine } from '../core/runRecord.ts';
import { isFailure } from '../core/verdict.ts';
import { createPaint } from './paint.ts';
import { type Report, titleOf } from './reporter.ts';
import { shownPath } from './shownPath.ts';
import { summaryLines } from './summary.ts';

/** Characters. GitHub takes a step summary of up to 1 MiB. */
const LONGEST = 900_000;

/** A summary for a pull request or a step of CI: sums, then each failure with the lines it is about. */
export const writeMarkdown: Report = (log, folder) => {
  const bad = log.results.filter(isFailure).length;
  const title =
    bad === 0
      ? `# ${STATUS_ICONS.pass} Evals passed`
      : `# ${STATUS_ICONS.fail} ${bad} of ${log.results.length} evals did not pass`;
  const sums = summaryLines(log, createPaint(false), log.duration);
  const head = paragraphs(title, sums.map((line) => `- ${escapeLine(line)}`).join('\n'));
  return `${withFailures(head, log.cases.filter(isFailure), folder)}\n`;
};

/** Those that no longer fit are counted. */
function withFailures(head: string, cases: readonly CaseLine[], folder: string): string {
  let text = head;
  for (const [index, line] of cases.entries()) {
    const more = paragraphs(text, failureOf(line, folder));
    if (more.length > LONGEST) {
      return paragraphs(text, `${cases.length - index} more did not fit into this summary.`);
    }
    text = more;
  }
  return text;
}

function failureOf(line: CaseLine, folder: string): string {
  const score = line.score === null ? '' : `, score ${scoreText(line.score)}`;
  return paragraphs(
    `## ${STATUS_ICONS[line.status]} ${escapeLine(titleOf(line))}${score}`,
    ...failuresOf(line).flatMap(({ source, text }) => [
      `**${escapeLine(`${shownPath(source.path, folder)}:${source.range.start.line + 1}`)}**`,
      escapeMarkdown(text).replace(/^/gm, '> '),
    ]),
  );
}
