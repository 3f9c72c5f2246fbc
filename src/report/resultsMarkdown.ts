import type { ComparedWords } from '../core/compared.ts';
import { costText, durationText } from '../core/presentation/amounts.ts';
import { OUTCOME_ICONS } from '../core/presentation/compared.ts';
import { escapeLine } from '../core/presentation/markdown.ts';
import { outcomeText } from '../core/presentation/outcomeText.ts';
import { rowGlance } from '../core/presentation/repeatedText.ts';
import { STATUS_ICONS, STATUS_WORDS } from '../core/presentation/status.ts';
import { OTHERS, otherOutcomes, outcomeAt, ownColumns } from '../core/record/assertionColumns.ts';
import type { Outcome } from '../core/record/outcome.ts';
import type { ResultsCase, ResultsTable } from '../protocol/resultsProtocol.ts';

/** Characters of a name. */
const LENGTH = 60;

/** Of several assertions. */
const MANY_LENGTH = 400;

/** Cases of a run as a Markdown table. @param cases their places in the table, in the order that is shown */
export function resultsMarkdown(table: ResultsTable, cases: readonly number[]): string {
  const chosen = cases.flatMap((index) => table.cases[index] ?? []);
  const { columns } = table;
  const isOwn = ownColumns({ columns, cases: chosen });
  const isCompared = chosen.some(({ compared }) => compared);
  const own = columns.flatMap(({ name }, index) => {
    const outcomeIn = (one: ResultsCase) => outcomeAt(table, one, index);
    if (!isOwn[index] || !chosen.some(outcomeIn)) return [];
    const cell = (one: ResultsCase) => {
      const outcome = outcomeIn(one);
      return outcome ? cellText(outcome) : '';
    };
    return [{ name, cell }];
  });
  const others = (one: ResultsCase) =>
    otherOutcomes(table, one, isOwn)
      .map(({ column, outcome }) => `${columns[column]?.name ?? ''}: ${cellText(outcome)}`)
      .join(', ');
  const shown: { readonly name: string; readonly cell: (one: ResultsCase) => string }[] = [
    { name: 'Case', cell: ({ title }) => title },
    {
      name: isCompared ? 'Change' : 'Status',
      cell: (one) =>
        one.compared
          ? changeText(one.compared)
          : [STATUS_ICONS[one.status], STATUS_WORDS[one.status], ...rowGlance(one)].join(' '),
    },
    ...own,
    ...(chosen.some(others) ? [{ name: OTHERS, cell: others }] : []),
    ...(chosen.some(({ cost }) => cost !== null)
      ? [{ name: 'Cost', cell: ({ cost }: ResultsCase) => (cost === null ? '' : costText(cost)) }]
      : []),
    { name: 'Time', cell: ({ duration }) => durationText(duration) },
  ];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const head = line(shown.map(({ name }) => escapeLine(name, LENGTH)));
  const rule = `|${shown.map(() => ' --- |').join('')}`;
  const rows = chosen.map((one) =>
    line(
      shown.map(({ name, cell }) => escapeLine(cell(one), name === OTHERS ? MANY_LENGTH : LENGTH)),
    ),
  );
  return `${[head, rule, ...rows].join('\n')}\n`;
}

function cellText(outcome: Outcome): string {
  if (outcome.compared) return changeText(outcome.compared);
  return `${STATUS_ICONS[outcome.status]} ${outcomeText(outcome)}`;
}

function changeText({ change, shown }: ComparedWords): string {
  return `${OUTCOME_ICONS[change]} ${shown}`;
}
