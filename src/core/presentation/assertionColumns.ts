import { WORST_FIRST } from '../scoring.ts';
import { combineResults, type VerdictResult } from './verdictResult.ts';
import { OUTCOMES, STATUS_WORDS } from './words.ts';

/**
 * A table with a row per case and a column per assertion. `cells` contains two numbers for each result: the index of
 * its column, and the index of one of that column's outcomes.
 */
interface Table {
  readonly columns: readonly { readonly outcomes: readonly VerdictResult[] }[];
  readonly cases: readonly { readonly cells: readonly number[] }[];
}

/** A case can have several assertions with the same name. */
export interface ColumnName {
  readonly name: string;
  /** From 1. */
  readonly occurrence: number;
}

/** The columns of a case's assertions, in their order. @param names of the assertions */
export function columnNames(names: readonly string[]): ColumnName[] {
  const occurrences = new Map<string, number>();
  return names.map((name) => {
    const occurrence = 1 + (occurrences.get(name) ?? 0);
    occurrences.set(name, occurrence);
    return { name, occurrence };
  });
}

/** -1 if the case has no assertion in the column. */
export function indexInColumn(names: readonly string[], { name, occurrence }: ColumnName): number {
  return columnNames(names).findIndex((one) => one.name === name && one.occurrence === occurrence);
}

/** Up to this many assertions each get their own column. */
const MAX_OWN_COLUMNS = 8;

/** If there are more, an assertion must be in at least this share of the cases. */
const MIN_SHARE = 0.1;

export const OTHERS = 'Other assertions';

/**
 * Whether each assertion has its own column; the others share one. If each case has its own criteria, each column would
 * contain a single cell.
 */
export function ownColumns({ columns, cases }: Table): boolean[] {
  if (columns.length <= MAX_OWN_COLUMNS) return columns.map(() => true);
  const counts = columns.map(() => 0);
  for (const one of cases) {
    for (const column of columnsOf(one)) counts[column] = 1 + (counts[column] ?? 0);
  }
  const least = Math.max(Math.min(2, cases.length), MIN_SHARE * cases.length);
  return counts.map((count) => count >= least);
}

/** The indexes of the case's columns, without duplicates. */
function columnsOf({ cells }: Table['cases'][number]): ReadonlySet<number> {
  return new Set(cells.filter((_cell, at) => at % 2 === 0));
}

/** The result of each repetition of a case in a column, in order. */
export function outcomesAt(
  { columns }: Pick<Table, 'columns'>,
  { cells }: Table['cases'][number],
  column: number,
): VerdictResult[] {
  const outcomes: VerdictResult[] = [];
  for (let at = 0; at < cells.length; at += 2) {
    if (cells[at] !== column) continue;
    const outcome = columns[column]?.outcomes[cells[at + 1] as number];
    if (outcome) outcomes.push(outcome);
  }
  return outcomes;
}

/** The combined result of a case in a column; undefined if it has no verdict there. */
export function outcomeAt(
  table: Pick<Table, 'columns'>,
  one: Table['cases'][number],
  column: number,
): VerdictResult | undefined {
  const [first, ...others] = outcomesAt(table, one, column);
  return first && combineResults([first, ...others]);
}

/** The case's verdicts that share one column, worst first. */
export function otherOutcomes(
  table: Pick<Table, 'columns'>,
  one: Table['cases'][number],
  own: readonly boolean[],
): { readonly column: number; readonly outcome: VerdictResult }[] {
  const found = [...columnsOf(one)].flatMap((column) => {
    const outcome = own[column] ? undefined : outcomeAt(table, one, column);
    return outcome ? [{ column, outcome }] : [];
  });
  return found.sort((a, b) => rankOf(a.outcome) - rankOf(b.outcome));
}

/**
 * The text of a shared cell: `1 of 3 failed: NAME`. @param name the first failing assertion @param outcomes worst first
 */
export function othersText(name: string, outcomes: readonly VerdictResult[]): string {
  const words = outcomes.map(({ status, compared }) => compared?.change ?? STATUS_WORDS[status]);
  const [word] = words;
  if (outcomes.length === 1 || word === undefined) return name;
  const count = words.filter((one) => one === word).length;
  const text = `${count} of ${words.length} ${word}`;
  const isGood = count === words.length && (word === 'passed' || word === 'unchanged');
  return isGood ? text : `${text}: ${name}`;
}

/** Sorts by status, worst first, then by score; for two runs, first by the change. */
export function rankOf(one: Pick<VerdictResult, 'status' | 'score' | 'compared'>): number {
  const own = WORST_FIRST.indexOf(one.status) + (one.score ?? 0) / 2;
  return one.compared ? 10 * OUTCOMES.indexOf(one.compared.change) + own : own;
}
