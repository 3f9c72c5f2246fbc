import { executionTitle } from '../core/presentation/executionTitle.ts';
import { STATUS_ICONS } from '../core/presentation/status.ts';
import { verdictText } from '../core/presentation/verdictText.ts';
import { visibleLine } from '../core/presentation/visibleText.ts';
import type { CaseSummary, VerdictSummary } from '../core/record/caseSummary.ts';
import type { Paint } from './paint.ts';
import { layOut } from './plainTable.ts';

const NAME_LENGTH = 24;
const CELL_LENGTH = 18;

/**
 * Cases × assertions. Where the columns do not fit into `width`, a list of the same content.
 *
 * @param boxed with lines around the cells, for a terminal
 */
export function caseTable(
  lines: readonly CaseSummary[],
  paint: Paint,
  width: number,
  boxed: boolean,
): string {
  const columns = columnsOf(lines);
  const head = ['Case', ...columns.map(({ name }) => visibleLine(name, NAME_LENGTH))];
  // Where each case has sentences of its own, thousands of columns would be laid out for nothing.
  if (layOut(head, [], boxed).width > width) return caseList(lines, paint);
  const rows = lines.map((line) => [caseCell(line, paint), ...cells(line, columns, paint)]);
  const table = layOut(
    head.map((name) => paint.bold(name)),
    rows,
    boxed,
  );
  return table.width > width ? caseList(lines, paint) : table.text();
}

interface Column {
  readonly name: string;
  readonly key: string;
}

/** Verdicts of one column: same name, and the same place among those of that name in a case. */
function keyed(line: CaseSummary): [string, VerdictSummary][] {
  const seen = new Map<string, number>();
  return line.verdicts.map((verdict) => {
    const { name } = verdict.assertion;
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return [`${count} ${name}`, verdict];
  });
}

function columnsOf(lines: readonly CaseSummary[]): Column[] {
  const columns = new Map<string, Column>();
  for (const line of lines) {
    for (const [key, verdict] of keyed(line)) {
      if (!columns.has(key)) columns.set(key, { key, name: verdict.assertion.name });
    }
  }
  return [...columns.values()];
}

function cells(line: CaseSummary, columns: readonly Column[], paint: Paint): string[] {
  const verdicts = new Map(keyed(line));
  return columns.map(({ key }) => {
    const verdict = verdicts.get(key);
    return verdict ? verdictCell(verdict, paint) : '';
  });
}

export function caseCell(line: CaseSummary, paint: Paint): string {
  return `${paint.status(line.status, STATUS_ICONS[line.status])} ${executionTitle(line)}`;
}

function verdictCell(verdict: VerdictSummary, paint: Paint): string {
  const text = `${STATUS_ICONS[verdict.status]} ${visibleLine(verdictText(verdict), CELL_LENGTH)}`;
  return paint.status(verdict.status, text);
}

function caseList(lines: readonly CaseSummary[], paint: Paint): string {
  return lines
    .flatMap((line) => [
      caseCell(line, paint),
      ...line.verdicts.map(
        (verdict) =>
          `    ${verdictCell(verdict, paint)}  ${visibleLine(verdict.assertion.name, 60)}`,
      ),
    ])
    .join('\n');
}
