import type { ComparedWords } from '../core/compared.ts';
import { costText, durationText } from '../core/presentation/amounts.ts';
import { OUTCOME_ICONS } from '../core/presentation/compared.ts';
import { escapeLine } from '../core/presentation/markdown.ts';
import { outcomeText } from '../core/presentation/outcomeText.ts';
import { STATUS_ICONS, STATUS_WORDS } from '../core/presentation/status.ts';
import type { ResultsTable } from '../protocol/resultsProtocol.ts';

/** Characters of a name. */
const LENGTH = 60;

/** Cases of a run as a Markdown table. @param cases their places in the table, in the order that is shown */
export function resultsMarkdown(table: ResultsTable, cases: readonly number[]): string {
  const chosen = cases.flatMap((index) => table.cases[index] ?? []);
  const columns = table.columns
    .map((column, index) => ({ column, index }))
    .filter(({ index }) => chosen.some((one) => outcomeIndex(one.cells, index) !== undefined));
  const isCompared = chosen.some(({ compared }) => compared);
  const head = [
    'Case',
    isCompared ? 'Change' : 'Status',
    ...columns.map(({ column }) => column.name),
    'Cost',
    'Time',
  ];
  const rows = chosen.map((one) => [
    one.title,
    one.compared
      ? changeText(one.compared)
      : [STATUS_ICONS[one.status], STATUS_WORDS[one.status], one.scored].join(' ').trim(),
    ...columns.map(({ column, index }) => {
      const outcome = column.outcomes[outcomeIndex(one.cells, index) ?? -1];
      if (outcome?.compared) return changeText(outcome.compared);
      return outcome ? `${STATUS_ICONS[outcome.status]} ${outcomeText(outcome)}` : '';
    }),
    one.cost === null ? '' : costText(one.cost),
    durationText(one.duration),
  ]);
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => escapeLine(cell, LENGTH)).join(' | ')} |`;
  const rule = `|${head.map(() => ' --- |').join('')}`;
  return `${[line(head), rule, ...rows.map(line)].join('\n')}\n`;
}

function changeText({ change, shown }: ComparedWords): string {
  return `${OUTCOME_ICONS[change]} ${shown}`;
}

function outcomeIndex(cells: readonly number[], column: number): number | undefined {
  for (let at = 0; at < cells.length; at += 2) if (cells[at] === column) return cells[at + 1];
  return undefined;
}
