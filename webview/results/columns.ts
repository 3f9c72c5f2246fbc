import {
  OTHERS,
  otherOutcomes,
  othersText,
  outcomeAt,
  ownColumns,
} from '../../src/core/presentation/assertionColumns.ts';
import { scoreText } from '../../src/core/presentation/score.ts';
import {
  passedOf,
  rowSummaryOf,
  rowWords,
  type VerdictResult,
  verdictResultText,
} from '../../src/core/presentation/verdictResult.ts';
import {
  type ComparedOutcome,
  type ComparedWords,
  OUTCOME_ICONS,
  STATUS_ICONS,
  STATUS_WORDS,
} from '../../src/core/presentation/words.ts';
import { costText, durationText } from '../../src/core/text/format.ts';
import { visibleLine } from '../../src/core/text/visibleText.ts';
import type { Status } from '../../src/core/verdict.ts';
import type {
  ResultsCase,
  ResultsTable,
  TableSettings,
} from '../../src/protocol/resultsProtocol.ts';
import { iconOf } from '../render/status.ts';
import { columnName, peopleAt, sortKey } from './model.ts';

export interface Column {
  readonly title: string;
  /** Width in pixels. */
  readonly width: number;
  /** Key of the sort order. */
  readonly by: string;
  /** Returns the index, in the table, of the assertion at which to open a case. */
  readonly opens?: (one: ResultsCase) => number | undefined;
  readonly cell: (one: ResultsCase) => Cell;
}

export interface Cell {
  readonly children: readonly (Node | string)[];
  /** The text for screen readers, if it differs from the visible text. */
  readonly name?: string;
  readonly status?: Status;
  /** Set only if two runs are compared. */
  readonly change?: ComparedOutcome;
}

const EMPTY: Cell = { children: [] };

/** Signs shown next to a labeled verdict. */
const PEOPLE_SIGNS = { right: '☑', wrong: '☒' } as const;

/** Width in pixels below which the first columns get narrower. */
const NARROW = 600;

/** @param room width of the grid in pixels @param assertion name of the selected assertion */
export function columnsOf(table: ResultsTable, room: number, assertion?: string): Column[] {
  const narrow = room < NARROW;
  const { cases, tags, variants, columns } = table;
  const isCompared = cases.some(({ compared }) => compared);
  const isOwn = ownColumns(table).map((own, at) => own || columnName(table, at) === assertion);
  const sample = cases.slice(0, SAMPLE_SIZE);
  const titles = sample.map(({ title }) => title);
  const changes = sample.map(({ compared }) => compared?.shown ?? '');
  const caseWidth = narrow ? 140 : widthFor(titles, 140, 320);
  const changeWidth = widthFor(changes, 120, 340, 'bold');
  const statusWidth = widthFor(sample.map(statusText), 128, 340);
  const tagsCell = (one: ResultsCase) => ({
    children: [one.tags.map((tag) => tags[tag] ?? '').join(', ')],
  });
  const variantCell = ({ variant = -1 }: ResultsCase) => ({ children: [variants[variant] ?? ''] });
  const variantWidth = widthFor(variants, 90, 200);
  const hasCost = cases.some(({ cost, before }) => (cost ?? before?.cost ?? null) !== null);
  return [
    { title: 'Case', width: caseWidth, by: 'case', cell: caseCell },
    ...(variants.length > 0
      ? [{ title: 'Variant', width: variantWidth, by: 'variant', cell: variantCell }]
      : []),
    isCompared
      ? { title: 'Change', width: changeWidth, by: 'status', cell: changeCell }
      : { title: 'Status', width: statusWidth, by: 'status', cell: statusCell },
    ...columns.flatMap((_, index) => (isOwn[index] ? assertionColumn(table, index) : [])),
    ...(isOwn.includes(false) ? [othersColumn(table, isOwn)] : []),
    ...(tags.length > 0 ? [{ title: 'Tags', width: 140, by: 'tags', cell: tagsCell }] : []),
    ...(hasCost
      ? [{ title: 'Cost', width: isCompared ? 140 : 80, by: 'cost', cell: costCell }]
      : []),
    { title: 'Time', width: isCompared ? 140 : 90, by: 'duration', cell: timeCell },
  ];
}

/** Maximum number of strings to measure to determine a column's width. */
const SAMPLE_SIZE = 500;

/** Approximate width of a character in pixels. Improvements and regressions are bold. */
const CHARACTER = { plain: 7, bold: 9 } as const;

/** Approximate width of the strings in pixels, between `least` and `most`. */
function widthFor(
  texts: readonly string[],
  least: number,
  most: number,
  weight: keyof typeof CHARACTER = 'plain',
): number {
  const longest = Math.max(0, ...texts.map(({ length }) => length));
  return Math.max(least, Math.min(most, 40 + CHARACTER[weight] * longest));
}

function assertionColumn(table: ResultsTable, assertion: number): Column {
  const title = columnName(table, assertion);
  const outcomes = sampleOutcomes(table, assertion);
  const texts = outcomes.map((one) => {
    const icon = one.repeated ? `${STATUS_ICONS[one.status]} ` : '';
    return one.compared?.shown ?? `${icon}${verdictResultText(one)}`;
  });
  return {
    title,
    width: Math.max(
      widthFor([title], 90, 170),
      widthFor(texts, 90, 340, outcomes.some(({ compared }) => compared) ? 'bold' : 'plain'),
    ),
    by: sortKey(title),
    opens: () => assertion,
    cell(one) {
      const outcome = outcomeAt(table, one, assertion);
      if (!outcome) return EMPTY;
      const { status, compared } = outcome;
      if (compared) return comparedCell(title, compared);
      const people = peopleAt(one, assertion);
      return {
        children: [
          iconOf(STATUS_ICONS[status]),
          verdictResultText(outcome),
          people === undefined ? '' : ` ${PEOPLE_SIGNS[people]}`,
        ],
        name: spokenOutcome(title, outcome, people),
        status,
      };
    },
  };
}

/** Outcomes to measure to determine the column's width. */
function sampleOutcomes(table: ResultsTable, assertion: number): readonly VerdictResult[] {
  const some = table.cases.slice(0, SAMPLE_SIZE);
  if (!some.some(({ repeated }) => repeated)) {
    return table.columns[assertion]?.outcomes.slice(0, SAMPLE_SIZE) ?? [];
  }
  return some.flatMap((one) => outcomeAt(table, one, assertion) ?? []);
}

/** A column for assertions that only a few cases have: `1 of 3 failed: Every price includes the tax.` */
function othersColumn(table: ResultsTable, isOwn: readonly boolean[]): Column {
  return {
    title: OTHERS,
    width: 340,
    by: 'others',
    opens: (one) => otherOutcomes(table, one, isOwn)[0]?.column,
    cell(one) {
      const found = otherOutcomes(table, one, isOwn);
      const [worst] = found;
      if (!worst) return EMPTY;
      const { status, compared } = worst.outcome;
      const spoken = found.map(({ column, outcome }) => {
        const title = columnName(table, column);
        return outcome.compared
          ? `${title}: ${outcome.compared.spoken}`
          : spokenOutcome(title, outcome, peopleAt(one, column));
      });
      const outcomes = found.map(({ outcome }) => outcome);
      const icon = compared ? OUTCOME_ICONS[compared.change] : STATUS_ICONS[status];
      return {
        children: [iconOf(icon), othersText(columnName(table, worst.column), outcomes)],
        name: spoken.join('; '),
        ...(compared ? { change: compared.change } : { status }),
      };
    },
  };
}

/** The text of an outcome for screen readers. */
function spokenOutcome(
  title: string,
  outcome: VerdictResult,
  people: TableSettings['people'],
): string {
  const { status, score, spread, repeated } = outcome;
  const word = STATUS_WORDS[status];
  const suffix = people === undefined ? '' : `, labeled ${people}`;
  if (repeated) {
    const [, ...rest] = verdictResultText(outcome).split(' ');
    const spoken = [word, passedOf(repeated), `${score === null ? '' : 'score '}${rest.join(' ')}`];
    return `${title}: ${spoken.join(', ')}${suffix}`;
  }
  const apart = spread === undefined ? '' : `, samples differ by ${scoreText(spread)}`;
  const spoken =
    score === null
      ? verdictResultText(outcome)
      : `score ${verdictResultText({ ...outcome, spread: undefined })}${apart}`;
  return `${title}: ${spoken === word ? word : `${word}, ${spoken}`}${suffix}`;
}

/** The icon and text of a change, with the values before and after it. */
function comparedCell(title: string, { change, shown, spoken }: ComparedWords): Cell {
  const children = [iconOf(OUTCOME_ICONS[change]), shown];
  return { children, name: `${title}: ${spoken}`, change };
}

function changeCell({ compared }: ResultsCase): Cell {
  return compared ? comparedCell('Change', compared) : EMPTY;
}

function caseCell(one: ResultsCase): Cell {
  const { title, status, compared } = one;
  const spoken = compared ? [compared.spoken] : [STATUS_WORDS[status], ...rowWords(one)];
  return { children: [title], name: [title, ...spoken].join(', ') };
}

function statusCell(one: ResultsCase): Cell {
  const { status, reason } = one;
  const spoken = [STATUS_WORDS[status], ...rowWords(one), ...(reason ? [reason] : [])];
  return {
    children: [iconOf(STATUS_ICONS[status]), statusText(one)],
    name: `Status: ${spoken.join(', ')}`,
    status,
  };
}

function statusText(one: ResultsCase): string {
  return [...rowSummaryOf(one), STATUS_WORDS[one.status], ...shortReasonOf(one)].join(' ');
}

/**
 * `target-timeout` of `target-timeout: The target did not reply within 60000 ms.`; for an error without a code, its
 * beginning.
 */
function shortReasonOf({ status, reason = '' }: ResultsCase): string[] {
  const code = /^[a-z][a-z-]*(?=:)/.exec(reason);
  if (code) return code;
  return status === 'error' && reason !== '' ? [visibleLine(reason, MAX_REASON)] : [];
}

/** Maximum number of characters, which is about the width of the column. */
const MAX_REASON = 60;

function costCell({ cost, before }: ResultsCase): Cell {
  return fromTo(before?.cost, cost, costText);
}

function timeCell({ duration, before }: ResultsCase): Cell {
  return fromTo(before?.duration, duration, durationText);
}

/** `0.01 → 0.02`, or one value if they are equal or only one is known. */
function fromTo(
  before: number | null | undefined,
  now: number | null,
  text: (value: number) => string,
): Cell {
  const texts = [before, now].filter((value) => typeof value === 'number').map(text);
  return { children: [[...new Set(texts)].join(' → ')] };
}
