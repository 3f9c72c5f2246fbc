import type { JudgeComparison, JudgePair, MeasuredJudge } from '../../analysis/judgeComparison.ts';
import { cacheText, costText, counted, durationText } from '../../core/text/format.ts';
import { paragraphs } from '../../core/text/markdown.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { agreementCells, agreementNotes as notesOnRows } from './agreementReport.ts';
import type { Layout } from './layout.ts';

interface JudgesReport extends JudgeComparison {
  readonly conversations: number;
  readonly folds: number;
  /** Number of excluded labels, by reason. */
  readonly left: Readonly<Record<string, number>>;
}

const MAX_NAME = 44;

const HEAD = [
  ...['Judge', 'Assertion', 'Unit', 'Compared', 'Accuracy', 'Precision', 'Recall'],
  ...['Kappa', '95% CI', 'Errors', 'Cost', 'Time'],
];

export function judgesReport(found: JudgesReport, layout: Layout): string {
  return `${paragraphs(
    layout.title('Judges compared'),
    layout.table(HEAD, found.judges.flatMap(rowsOf)),
    layout.section('Errors', errorsOf(found)),
    layout.section('Agreement between judges', found.pairs.map(pairText)),
    layout.list(notesOf(found)),
  )}\n`;
}

/** One row per comparison. A judge's first row has its errors, cost, and time. */
function rowsOf(judge: MeasuredJudge): string[][] {
  const { name, usage, duration, errors } = judge;
  const rows = judge.rows.filter(({ compared }) => compared > 0);
  const { cost, calls } = usage;
  const took = [
    String(errors),
    cost === null ? 'price unknown' : costText(cost),
    calls === 0 ? '–' : durationText(duration),
  ];
  const shown = visibleLine(name, MAX_NAME);
  if (rows.length === 0) return [[shown, '–', '–', '0', '–', '–', '–', '–', '–', ...took]];
  return rows.map((row, index) => [
    shown,
    ...agreementCells(row),
    ...(index === 0 ? took : ['', '', '']),
  ]);
}

/** Maximum number of reasons to list per judge. */
const MAX_REASONS = 3;

/** `openai:a, 12 verdicts: It needs the key …` */
function errorsOf({ judges }: JudgesReport): string[] {
  return judges.flatMap(({ name, reasons }) => {
    const shown = visibleLine(name, MAX_NAME);
    const more = reasons.slice(MAX_REASONS).reduce((sum, { count }) => sum + count, 0);
    return [
      ...reasons
        .slice(0, MAX_REASONS)
        .map(({ why, count }) => `${shown}, ${counted(count, 'verdict')}: ${why}`),
      ...(more > 0 ? [`${shown}, ${counted(more, 'more verdict')}: --format json shows why`] : []),
    ];
  });
}

/** `openai:a and ollama:b agree on 20 of 24 (kappa 0.61). Only openai:a is right on 3, only … on 1 (p 0.63).` */
function pairText({ first, second, compared, accuracy, kappa, ...pair }: JudgePair): string {
  const [a, b] = [visibleLine(first, MAX_NAME), visibleLine(second, MAX_NAME)];
  const same = Math.round((accuracy ?? 0) * compared);
  const beyond = kappa ? ` (kappa ${kappa.kappa.toFixed(2)})` : '';
  const right = `Only ${a} is right on ${pair.onlyFirst}, only ${b} on ${pair.onlySecond}`;
  return `${a} and ${b} agree on ${same} of ${compared}${beyond}. ${right} (p ${pair.p.toFixed(2)}).`;
}

function notesOf({ conversations, folds, judges, left }: JudgesReport): string[] {
  const cached = judges.flatMap(({ name, usage }) => {
    const text = cacheText(usage);
    return text === undefined
      ? []
      : [`${visibleLine(name, MAX_NAME)}: ${text}; they don't add to cost and time.`];
  });
  const uncounted = judges.flatMap(({ name, rows }) =>
    notesOnRows({ rows, unmatched: [] }).map((note) => `${visibleLine(name, MAX_NAME)}: ${note}`),
  );
  const gone = Object.values(left).reduce((sum, count) => sum + count, 0);
  return [
    `${counted(conversations, 'labeled conversation')}, ${folds}-fold cross-validation: no judge is scored on a conversation that it saw as an example.`,
    'Time is the average per conversation. P values are from McNemar’s exact test.',
    ...uncounted,
    ...cached,
    ...(gone > 0 ? [`${counted(gone, 'label')} excluded; --format json lists them.`] : []),
  ];
}
