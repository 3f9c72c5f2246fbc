import { groupBy } from '../../src/core/data/data.ts';
import {
  otherOutcomes,
  outcomeAt,
  outcomesAt,
  ownColumns,
  rankOf,
} from '../../src/core/presentation/assertionColumns.ts';
import {
  type AssertionSummary,
  assertionSummary,
} from '../../src/core/presentation/assertionSummary.ts';
import type { VerdictResult } from '../../src/core/presentation/verdictResult.ts';
import { isFailure } from '../../src/core/scoring.ts';
import type { Status } from '../../src/core/verdict.ts';
import type {
  ResultsCase,
  ResultsTable,
  TableSettings,
} from '../../src/protocol/resultsProtocol.ts';

/** A row of the table. */
export type GridRow =
  | { readonly kind: 'case'; readonly index: number }
  | {
      readonly kind: 'group';
      readonly name: string;
      readonly cases: number;
      readonly passed: number;
      readonly folded: boolean;
    };

/** Number of executions in a table. */
export function executionsIn({ cases }: ResultsTable): number {
  return cases.reduce((sum, { repeated }) => sum + (repeated?.finished ?? 1), 0);
}

/** What people think of the verdict in a column, if there are any labels. */
export function peopleAt({ people = [] }: ResultsCase, column: number): TableSettings['people'] {
  for (let at = 0; at < people.length; at += 2) {
    if (people[at] === column) return people[at + 1] === 1 ? 'wrong' : 'right';
  }
  return undefined;
}

/** A column's title. Names that are repeated within a case are numbered. */
export function columnName({ columns }: ResultsTable, column: number): string {
  const { name = '', occurrence = 1 } = columns[column] ?? {};
  return occurrence === 1 ? name : `${name} (${occurrence})`;
}

/** The sort key for an assertion's column. */
export function sortKey(name: string): string {
  return `assertion ${name}`;
}

/**
 * The indices of matching cases, in record order.
 *
 * @param found cases that match the text search; undefined without one
 */
export function filtered(
  table: ResultsTable,
  shown: TableSettings,
  found: ReadonlySet<number> | undefined,
): number[] {
  const tag = shown.tag === undefined ? undefined : table.tags.indexOf(shown.tag);
  const variant = shown.variant === undefined ? undefined : table.variants.indexOf(shown.variant);
  const columns = [...table.columns.keys()].filter(
    (at) => shown.assertion === undefined || columnName(table, at) === shown.assertion,
  );
  const matches = (one: ResultsCase, index: number) => {
    if (found && !found.has(index)) return false;
    if (tag !== undefined && !one.tags.includes(tag)) return false;
    if (variant !== undefined && one.variant !== variant) return false;
    const isNarrow = [shown.assertion, shown.label, shown.people].some((one) => one !== undefined);
    if (!isNarrow) return hasStatus(one.status, shown.status) && hasChange(one, shown);
    if (shown.assertion === undefined && !hasStatus(one.status, shown.status)) return false;
    return columns.some((column) => {
      const outcome = outcomeAt(table, one, column);
      if (!outcome) return false;
      const { label } = shown;
      const hasLabel = outcomesAt(table, one, column).some((each) => each.label === label);
      if (label !== undefined && !hasLabel) return false;
      if (shown.people !== undefined && peopleAt(one, column) !== shown.people) return false;
      if (shown.assertion === undefined) return hasChange(one, shown);
      return hasStatus(outcome.status, shown.status) && hasChange(outcome, shown);
    });
  };
  return table.cases.flatMap((one, index) => (matches(one, index) ? [index] : []));
}

function hasStatus(status: Status, wanted: TableSettings['status']): boolean {
  if (wanted === 'all') return true;
  return wanted === 'bad' ? isFailure({ status }) : status === wanted;
}

function hasChange(
  { compared }: Pick<VerdictResult, 'compared'>,
  { change }: TableSettings,
): boolean {
  return change === undefined || compared?.change === change;
}

const COLLATOR = new Intl.Collator('en', { numeric: true });

/** Rank of cases without a verdict. */
const NO_OUTCOME_RANK = 100;

type Compare = (a: number, b: number) => number;

/**
 * Sorts cases; equal cases stay in file order.
 *
 * @param order the indices of all rows in file order; default: the order of the table
 */
export function sorted(
  table: ResultsTable,
  cases: readonly number[],
  sort: TableSettings['sort'],
  order?: readonly number[],
): readonly number[] {
  const compare = sort && comparing(table, sort.by);
  const wanted = new Set(order && cases);
  const inOrder = order?.filter((index) => wanted.has(index)) ?? cases;
  if (!compare) return inOrder;
  const sign = sort.descending ? -1 : 1;
  return [...inOrder].sort((a, b) => sign * compare(a, b));
}

function comparing(table: ResultsTable, by: string): Compare | undefined {
  const caseAt = (index: number) => table.cases[index] as ResultsCase;
  const byNumber =
    (of: (one: ResultsCase) => number): Compare =>
    (a, b) =>
      of(caseAt(a)) - of(caseAt(b));
  const byText =
    (of: (one: ResultsCase) => string): Compare =>
    (a, b) =>
      COLLATOR.compare(of(caseAt(a)), of(caseAt(b)));
  switch (by) {
    case 'case':
      return byText(({ title }) => title);
    case 'tags':
      return byText(({ tags }) => tags.map((tag) => table.tags[tag]).join(' '));
    case 'variant':
      return byNumber(({ variant }) => variant ?? -1);
    case 'status':
      return byNumber(rankOf);
    case 'cost':
      return byNumber(({ cost }) => cost ?? -1);
    case 'duration':
      return byNumber(({ duration }) => duration);
    case 'others': {
      const own = ownColumns(table);
      return byRank(table, (one) => otherOutcomes(table, one, own)[0]?.outcome);
    }
    default: {
      const column = table.columns.findIndex((_, at) => sortKey(columnName(table, at)) === by);
      if (column < 0) return undefined;
      return byRank(table, (one) => outcomeAt(table, one, column));
    }
  }
}

/** Computes each rank once, because sorting compares it many times. */
function byRank(
  table: ResultsTable,
  outcomeOf: (one: ResultsCase) => VerdictResult | undefined,
): Compare {
  const ranks = table.cases.map((one) => {
    const outcome = outcomeOf(one);
    return outcome ? rankOf(outcome) : NO_OUTCOME_RANK;
  });
  return (a, b) => (ranks[a] ?? NO_OUTCOME_RANK) - (ranks[b] ?? NO_OUTCOME_RANK);
}

const NO_TAG = 'No tag';
const NO_VARIANT = 'No variant';

/** Rows of cases, below group headings if the cases are grouped. */
export function grouped(
  table: ResultsTable,
  cases: readonly number[],
  { group, folded }: Pick<TableSettings, 'group' | 'folded'>,
): GridRow[] {
  const rowOf = (index: number): GridRow => ({ kind: 'case', index });
  if (group === 'none') return cases.map(rowOf);
  const named = cases.flatMap((index) =>
    namesOf(table, index, group).map((name) => ({ name, index })),
  );
  const groups = [...groupBy(named, ({ name }) => name)].sort(([a], [b]) => compareNames(a, b));
  return groups.flatMap(([name, own]): GridRow[] => {
    const passed = own.filter(({ index }) => table.cases[index]?.status === 'pass').length;
    const isFolded = folded.includes(name);
    const head: GridRow = { kind: 'group', name, cases: own.length, passed, folded: isFolded };
    return isFolded ? [head] : [head, ...own.map(({ index }) => rowOf(index))];
  });
}

/** Names of a case's groups. A case appears in one group for each of its tags. */
function namesOf(
  { cases, suites, tags, variants }: ResultsTable,
  index: number,
  by: Exclude<TableSettings['group'], 'none'>,
) {
  const one = cases[index];
  if (by === 'file') return [suites[one?.suite ?? -1] ?? ''];
  if (by === 'variant') return [variants[one?.variant ?? -1] ?? NO_VARIANT];
  const own = one?.tags.map((tag) => tags[tag] ?? '') ?? [];
  return own.length === 0 ? [NO_TAG] : own;
}

function compareNames(a: string, b: string): number {
  const [isLast, isOtherLast] = [a, b].map((one) => one === NO_TAG || one === NO_VARIANT);
  if (isLast !== isOtherLast) return isLast ? 1 : -1;
  return COLLATOR.compare(a, b);
}

/** All of the verdicts' labels, sorted. */
export function labelsOf({ columns }: ResultsTable, assertion: string | undefined): string[] {
  const own = columns.filter(({ name }) => assertion === undefined || name === assertion);
  const labels = own.flatMap(({ outcomes }) => outcomes.flatMap(({ label }) => label ?? []));
  return [...new Set(labels)].sort(COLLATOR.compare);
}

/** Summaries of all assertions over these cases, in column order; as in reports, each repetition counts. */
export function summariesOf(table: ResultsTable, cases: readonly number[]): AssertionSummary[] {
  const outcomes = table.columns.map((): VerdictResult[] => []);
  for (const index of cases) {
    const one = table.cases[index];
    if (!one) continue;
    for (let at = 0; at < one.cells.length; at += 2) {
      const column = one.cells[at] as number;
      const outcome = table.columns[column]?.outcomes[one.cells[at + 1] as number];
      if (outcome) outcomes[column]?.push(outcome);
    }
  }
  const columns = table.columns.map(({ name }, column) => ({ name, column }));
  return [...groupBy(columns, ({ name }) => name)].flatMap(([name, own]) => {
    const all = own.flatMap(({ column }) => outcomes[column] ?? []);
    return all.length === 0 ? [] : [assertionSummary(name, all)];
  });
}

/** The next row with a failed, errored, or changed case, wrapping around; undefined if there is none. */
export function nextFailing(
  { cases }: ResultsTable,
  rows: readonly GridRow[],
  from: number,
  step: 1 | -1,
): number | undefined {
  const { length } = rows;
  for (let moved = 1; moved <= length; moved += 1) {
    const at = (from + step * moved + 2 * length) % length;
    const row = rows[at];
    const one = row?.kind === 'case' ? cases[row.index] : undefined;
    if (one?.compared ? one.compared.change !== 'unchanged' : one && isFailure(one)) return at;
  }
  return undefined;
}
