import type { ThresholdRow, Thresholds } from '../../analysis/thresholds.ts';
import { escapeLine, paragraphs } from '../../core/presentation/markdown.ts';
import { scoreText } from '../../core/presentation/score.ts';
import { visibleLine } from '../../core/presentation/visibleText.ts';
import type { Paint } from '../paint.ts';
import { plainTable } from '../plainTable.ts';
import { markdownTable } from './markdownTable.ts';

const NAME_LENGTH = 36;

/** Thresholds that a table shows; the others are in the JSON. */
const SHOWN = 15;

export const THRESHOLDS_HEAD = [
  ...['Threshold', 'Accuracy', 'Precision', 'Recall', 'Kappa'],
  ...['Both fail', 'Judge fails', 'People fail', 'Both pass', ''],
];

const NONE = 'No judge gave labelled conversations more than one score.';

/** For a terminal. */
export function thresholdsText(all: readonly Thresholds[], paint: Paint): string {
  const parts = all.flatMap((one) => [
    `${paint.bold(titleOf(one))}\n${plainTable(
      THRESHOLDS_HEAD,
      shownRows(one).map((row) => cellsOf(row, one)),
      false,
    )}\n${sentenceOf(one)}`,
  ]);
  return `${paragraphs(paint.bold('Thresholds'), ...(parts.length > 0 ? parts : [NONE]))}\n`;
}

/** For a pull request. */
export function thresholdsMarkdown(all: readonly Thresholds[]): string {
  const parts = all.flatMap((one) => [
    `### ${escapeLine(titleOf(one))}`,
    markdownTable(
      THRESHOLDS_HEAD,
      shownRows(one).map((row) => cellsOf(row, one)),
    ),
    escapeLine(sentenceOf(one), 600),
  ]);
  return `${paragraphs('## Thresholds', ...(parts.length > 0 ? parts : [NONE]))}\n`;
}

function titleOf({ judge, assertion }: Thresholds): string {
  return `${visibleLine(judge, NAME_LENGTH)}, ${visibleLine(assertion.name, NAME_LENGTH)}`;
}

/** Which one agrees best, and what that is worth on other conversations. */
export function sentenceOf({ best, current, compared, heldOut }: Thresholds): string {
  const isBest = best === current;
  const what = isBest
    ? `The threshold ${scoreText(best)} agrees best with people.`
    : `\`threshold: ${Number(best.toFixed(4))}\` agrees best with people.`;
  return `${what} With the threshold that is best on the other conversations, ${scoreText(heldOut)} of all ${compared} verdicts are right.`;
}

/** Where there are too many, the best, the current one and others evenly. */
export function shownRows({ rows, best, current }: Thresholds): ThresholdRow[] {
  const every = Math.ceil(rows.length / SHOWN);
  const isNamed = ({ threshold }: ThresholdRow) => threshold === best || threshold === current;
  return rows.filter((row, index) => index % every === 0 || isNamed(row));
}

/** As the head names them. */
export function cellsOf(row: ThresholdRow, { best, current }: Thresholds): string[] {
  const { threshold, confusion, accuracy, precision, recall, kappa } = row;
  const share = (value: number | null) => (value === null ? '–' : scoreText(value));
  const marks = [
    ...(threshold === current ? ['current'] : []),
    ...(threshold === best ? ['best'] : []),
  ];
  return [
    scoreText(threshold),
    ...[accuracy, precision, recall].map(share),
    kappa === null ? '–' : kappa.toFixed(2),
    String(confusion.failFail),
    String(confusion.failPass),
    String(confusion.passFail),
    String(confusion.passPass),
    marks.join(', '),
  ];
}
