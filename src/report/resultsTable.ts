import { caseKey } from '../core/identity.ts';
import { LIMITS } from '../core/limits.ts';
import {
  type ColumnName,
  columnNames,
  OTHERS,
  otherOutcomes,
  outcomeAt,
  ownColumns,
} from '../core/presentation/assertionColumns.ts';
import { caseScoreText, scoreText } from '../core/presentation/score.ts';
import {
  rowSummaryOf,
  type VerdictResult,
  verdictResultOf,
  verdictResultText,
} from '../core/presentation/verdictResult.ts';
import type { VerdictWords } from '../core/presentation/verdictText.ts';
import {
  type ComparedWords,
  caseTitle,
  OUTCOME_ICONS,
  STATUS_ICONS,
  STATUS_WORDS,
} from '../core/presentation/words.ts';
import { combineRepetitions, scoreRangeOf } from '../core/record/repetitions.ts';
import type { CaseSummary } from '../core/record/runRecord.ts';
import { isFailure, sumOfKnown } from '../core/scoring.ts';
import { costText, durationText } from '../core/text/format.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import type { Verdict } from '../core/verdict.ts';
import type { ResultsCase, ResultsColumn, ResultsTable } from '../protocol/resultsProtocol.ts';
import { markdownTable } from './tables.ts';

/** The parts of a case's line that its row shows. */
type TableCase = Pick<
  CaseSummary,
  | 'suite'
  | 'id'
  | 'variant'
  | 'repetitions'
  | 'must_pass'
  | 'target_variant'
  | 'tags'
  | 'status'
  | 'score'
  | 'threshold'
  | 'reason'
  | 'usage'
  | 'duration'
> & {
  readonly verdicts: readonly (VerdictWords & {
    readonly assertion: Pick<Verdict['assertion'], 'name' | 'required'>;
    readonly compared?: ComparedWords;
    readonly judge?: { readonly spread: number | null } | undefined;
  })[];
} & Pick<ResultsCase, 'compared' | 'before'>;

export interface TableExecution {
  /** The row of the execution's case. */
  readonly row: number;
  /** Index of its first cell among the cells of its case. */
  readonly from: number;
  readonly isFailure: boolean;
}

/** Builds a run's table line by line, storing each string only once. A case's repetitions share its row. */
export class TableBuilder {
  readonly table: ResultsTable = { suites: [], tags: [], variants: [], columns: [], cases: [] };
  /** Executions in the order in which they were added. */
  readonly executions: TableExecution[] = [];
  readonly #suites = new IndexedKeys();
  readonly #tags = new IndexedKeys();
  readonly #variants = new IndexedKeys();
  readonly #columns = new IndexedKeys();
  readonly #outcomes: IndexedKeys[] = [];
  /** Rows of the cases that have several repetitions. */
  readonly #repeated = new Map<string, { readonly row: number; readonly lines: TableCase[] }>();
  readonly #shownPath: (suite: string) => string;

  /** @param shownPath formats the path of an eval file */
  constructor(shownPath: (suite: string) => string) {
    this.#shownPath = shownPath;
  }

  add(line: TableCase): void {
    const { cases } = this.table;
    const key = line.repetitions > 1 ? caseKey(line) : undefined;
    const known = key === undefined ? undefined : this.#repeated.get(key);
    const row = known?.row ?? cases.length;
    const one = cases[row];
    const from = one?.cells.length ?? 0;
    this.executions.push({ row, from, isFailure: isFailure(line) });
    if (!one || !known) {
      cases.push({ ...this.#rowOf(line), ...(key !== undefined && repeatedRow([line])) });
      if (key !== undefined) this.#repeated.set(key, { row, lines: [line] });
      return;
    }
    known.lines.push(line);
    one.cells.push(...this.#cellsOf(line));
    Object.assign(one, repeatedRow(known.lines));
  }

  #rowOf(line: TableCase): ResultsCase {
    const { suites, tags } = this.table;
    const { status, score, reason, usage, duration, compared, before } = line;
    const scored = caseScoreText(line);
    return {
      suite: this.#suites.of(line.suite, () => suites.push(this.#shownPath(line.suite))),
      title: caseTitle(line),
      status,
      score: scored === undefined ? null : score,
      ...(scored !== undefined && { scored }),
      ...(reason !== undefined && { reason }),
      tags: line.tags.map((tag) => this.#tags.of(tag, () => tags.push(tag))),
      ...(line.target_variant && { variant: this.#variantOf(line.target_variant) }),
      cost: usage.cost,
      duration,
      cells: this.#cellsOf(line),
      ...(compared && { compared }),
      ...(before && { before }),
    };
  }

  /** Adds all variants in the file's order, no matter which one finishes first. */
  #variantOf({ name, of }: NonNullable<TableCase['target_variant']>): number {
    const { variants } = this.table;
    const places = [...of.slice(0, LIMITS.targetVariants), name].map((one) =>
      this.#variants.of(one, () => variants.push(visibleLine(one, MAX_NAME))),
    );
    return places.at(-1) ?? 0;
  }

  #cellsOf({ verdicts }: TableCase): number[] {
    const names = columnNames(verdicts.map(({ assertion }) => assertion.name));
    return verdicts.flatMap((verdict, index) => {
      const column = this.#columnOf({ ...(names[index] as ColumnName), outcomes: [] });
      const outcome = { ...verdictResultOf(verdict), compared: verdict.compared };
      return [column, this.#outcomeIn(column, outcome)];
    });
  }

  #columnOf(column: ResultsColumn): number {
    return this.#columns.of(JSON.stringify([column.name, column.occurrence]), () => {
      this.table.columns.push(column);
      this.#outcomes.push(new IndexedKeys());
    });
  }

  #outcomeIn(column: number, outcome: VerdictResult): number {
    const { compared, ...rest } = outcome;
    const { status, score, threshold, label, reason, spread } = rest;
    const parts = [status, score, threshold, label, reason, spread, compared?.spoken];
    const key = JSON.stringify(parts);
    const known = this.#outcomes[column] as IndexedKeys;
    return known.of(key, () =>
      this.table.columns[column]?.outcomes.push(compared ? { ...rest, compared } : rest),
    );
  }
}

/** The row of a repeated case. */
function repeatedRow(lines: readonly TableCase[]) {
  const [first] = lines;
  const { status, score } = combineRepetitions(lines, first?.must_pass ?? 1);
  const verdicts = lines.flatMap((line) => line.verdicts);
  const threshold = first?.threshold;
  const thresholds = threshold === undefined ? verdicts.map((one) => one.threshold) : [threshold];
  const range = scoreRangeOf(lines)?.map((one) => scoreText(one, ...thresholds));
  return {
    status,
    score,
    scored: score === null ? undefined : scoreText(score, ...thresholds),
    reason: lines.find((line) => line.status === status)?.reason,
    cost: sumOfKnown(lines.map(({ usage }) => usage.cost)),
    duration: lines.reduce((sum, { duration }) => sum + duration, 0),
    repeated: {
      passed: lines.filter((line) => line.status === 'pass').length,
      finished: lines.length,
      planned: Math.max(lines.length, first?.repetitions ?? 1),
      ...(range && { range: range.join('–') }),
    },
  } satisfies Partial<ResultsCase>;
}

/** Assigns indexes to keys, in order of appearance. */
class IndexedKeys {
  readonly #places = new Map<string, number>();

  of(key: string, add: () => void): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    add();
    this.#places.set(key, this.#places.size);
    return this.#places.size - 1;
  }
}

/** Maximum number of characters in the name of one assertion. */
const MAX_NAME = 60;

/** Maximum number of characters in the names of several assertions. */
const MAX_NAMES = 400;

/** A run's cases as a Markdown table. @param cases indexes into the table, in display order */
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
          : [STATUS_ICONS[one.status], STATUS_WORDS[one.status], ...rowSummaryOf(one)].join(' '),
    },
    ...own,
    ...(chosen.some(others) ? [{ name: OTHERS, cell: others }] : []),
    ...(chosen.some(({ cost }) => cost !== null)
      ? [{ name: 'Cost', cell: ({ cost }: ResultsCase) => (cost === null ? '' : costText(cost)) }]
      : []),
    { name: 'Time', cell: ({ duration }) => durationText(duration) },
  ];
  const lengths = shown.map(({ name }) => (name === OTHERS ? MAX_NAMES : MAX_NAME));
  const rows = chosen.map((one) => shown.map(({ cell }) => cell(one)));
  return `${markdownTable(
    shown.map(({ name }) => name),
    rows,
    lengths,
  )}\n`;
}

function cellText(outcome: VerdictResult): string {
  if (outcome.compared) return changeText(outcome.compared);
  return `${STATUS_ICONS[outcome.status]} ${verdictResultText(outcome)}`;
}

function changeText({ change, shown }: ComparedWords): string {
  return `${OUTCOME_ICONS[change]} ${shown}`;
}
