import {
  OTHERS,
  otherOutcomes,
  othersText,
  outcomeAt,
  ownColumns,
} from '../../src/core/presentation/assertionColumns.ts';
import {
  passedOf,
  rowSummaryOf,
  rowWords,
  type VerdictResult,
  verdictResultText,
} from '../../src/core/presentation/outcome.ts';
import { scoreText } from '../../src/core/presentation/score.ts';
import {
  type ComparedOutcome,
  type ComparedWords,
  OUTCOME_ICONS,
  STATUS_ICONS,
  STATUS_WORDS,
} from '../../src/core/presentation/words.ts';
import { costText, durationText } from '../../src/core/text/format.ts';
import type { Status } from '../../src/core/verdict.ts';
import type {
  ResultsCase,
  ResultsTable,
  TableSettings,
} from '../../src/protocol/resultsProtocol.ts';
import { iconOf } from '../render/status.ts';
import { columnName, peopleAt, sortKey } from './model.ts';

/** A column of the grid. */
export interface Column {
  readonly title: string;
  /** Pixels. */
  readonly width: number;
  /** By what it sorts. */
  readonly by: string;
  /** The assertion by which its cell opens a case, by its place in the table. */
  readonly opens?: (one: ResultsCase) => number | undefined;
  readonly cell: (one: ResultsCase) => Cell;
}

export interface Cell {
  readonly children: readonly (Node | string)[];
  /** For a screen reader, where the words on the screen do not tell all. */
  readonly name?: string;
  readonly status?: Status;
  /** Of two runs. */
  readonly change?: ComparedOutcome;
}

const EMPTY: Cell = { children: [] };

/** Beside a verdict that people labelled. */
const PEOPLE_SIGNS = { right: '☑', wrong: '☒' } as const;

/** Pixels below which the first columns give way. */
const NARROW = 600;

/** @param room pixels of the grid @param assertion that is chosen, by its name */
export function columnsOf(table: ResultsTable, room: number, assertion?: string): Column[] {
  const narrow = room < NARROW;
  const { cases, tags, columns } = table;
  const isCompared = cases.some(({ compared }) => compared);
  const isOwn = ownColumns(table).map((own, at) => own || columnName(table, at) === assertion);
  const titles = cases.slice(0, LOOKED).map(({ title }) => title);
  return [
    {
      title: 'Case',
      width: narrow ? 140 : widthFor(titles, 140, 320),
      by: 'case',
      cell: caseCell,
    },
    isCompared
      ? { title: 'Change', width: changeWidth(cases), by: 'status', cell: changeCell }
      : { title: 'Status', width: statusWidth(cases), by: 'status', cell: statusCell },
    ...columns.flatMap((_, index) => (isOwn[index] ? assertionColumn(table, index) : [])),
    ...(isOwn.includes(false) ? [othersColumn(table, isOwn)] : []),
    ...(tags.length > 0
      ? [
          {
            title: 'Tags',
            width: 140,
            by: 'tags',
            cell: (one: ResultsCase) => tagsCell(table, one),
          },
        ]
      : []),
    ...(cases.some(({ cost, before }) => cost !== null || (before?.cost ?? null) !== null)
      ? [{ title: 'Cost', width: isCompared ? 140 : 80, by: 'cost', cell: costCell }]
      : []),
    {
      title: 'Time',
      width: isCompared ? 140 : 90,
      by: 'duration',
      cell: ({ duration, before }) => fromTo(before?.duration, duration, durationText),
    },
  ];
}

/** Texts that are looked at for the width of a column. */
const LOOKED = 500;

/** Pixels of a character, about. What became better or worse is bold. */
const CHARACTER = { plain: 7, bold: 9 } as const;

/** Pixels that texts take, about; not fewer than `least`, nor more than `most`. */
function widthFor(
  texts: readonly string[],
  least: number,
  most: number,
  weight: keyof typeof CHARACTER = 'plain',
): number {
  const longest = Math.max(0, ...texts.map(({ length }) => length));
  return Math.max(least, Math.min(most, 40 + CHARACTER[weight] * longest));
}

function statusWidth(cases: readonly ResultsCase[]): number {
  return widthFor(cases.slice(0, LOOKED).map(statusText), 128, 340);
}

function changeWidth(cases: readonly ResultsCase[]): number {
  const texts = cases.slice(0, LOOKED).map(({ compared }) => compared?.shown ?? '');
  return widthFor(texts, 120, 340, 'bold');
}

function assertionColumn(table: ResultsTable, assertion: number): Column {
  const title = columnName(table, assertion);
  const outcomes = lookedAt(table, assertion);
  const texts = outcomes.map(
    (one) =>
      one.compared?.shown ??
      `${one.repeated ? `${STATUS_ICONS[one.status]} ` : ''}${verdictResultText(one)}`,
  );
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

/** What is looked at for the width of its column. */
function lookedAt(table: ResultsTable, assertion: number): readonly VerdictResult[] {
  const some = table.cases.slice(0, LOOKED);
  if (!some.some(({ repeated }) => repeated))
    return table.columns[assertion]?.outcomes.slice(0, LOOKED) ?? [];
  return some.flatMap((one) => outcomeAt(table, one, assertion) ?? []);
}

/** The assertions that few cases have: `1 of 3 failed: Every price includes the tax.` */
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
      return {
        children: [
          compared ? iconOf(OUTCOME_ICONS[compared.change]) : iconOf(STATUS_ICONS[status]),
          othersText(
            columnName(table, worst.column),
            found.map(({ outcome }) => outcome),
          ),
        ],
        name: spoken.join('; '),
        ...(compared ? { change: compared.change } : { status }),
      };
    },
  };
}

/** What a verdict came to, for a screen reader. */
function spokenOutcome(
  title: string,
  outcome: VerdictResult,
  people: TableSettings['people'],
): string {
  const { status, score, spread, repeated } = outcome;
  const word = STATUS_WORDS[status];
  const told = people === undefined ? '' : `, people say it is ${people}`;
  if (repeated) {
    const [, ...rest] = verdictResultText(outcome).split(' ');
    const said = [word, passedOf(repeated), `${score === null ? '' : 'score '}${rest.join(' ')}`];
    return `${title}: ${said.join(', ')}${told}`;
  }
  const apart = spread === undefined ? '' : `, samples differ by ${scoreText(spread)}`;
  const said =
    score === null
      ? verdictResultText(outcome)
      : `score ${verdictResultText({ ...outcome, spread: undefined })}${apart}`;
  return `${title}: ${said === word ? word : `${word}, ${said}`}${told}`;
}

/** Sign and words of the change, then what it was and what it is. */
function comparedCell(title: string, { change, shown, spoken }: ComparedWords): Cell {
  return {
    children: [iconOf(OUTCOME_ICONS[change]), shown],
    name: `${title}: ${spoken}`,
    change,
  };
}

function changeCell({ compared }: ResultsCase): Cell {
  return compared ? comparedCell('Change', compared) : EMPTY;
}

function caseCell(one: ResultsCase): Cell {
  const { title, status, compared } = one;
  const said = compared ? [compared.spoken] : [STATUS_WORDS[status], ...rowWords(one)];
  return { children: [title], name: [title, ...said].join(', ') };
}

function statusCell(one: ResultsCase): Cell {
  const { status, reason } = one;
  const told = [STATUS_WORDS[status], ...rowWords(one), ...(reason ? [reason] : [])];
  return {
    children: [iconOf(STATUS_ICONS[status]), statusText(one)],
    name: `Status: ${told.join(', ')}`,
    status,
  };
}

function statusText(one: ResultsCase): string {
  return [...rowSummaryOf(one), STATUS_WORDS[one.status], ...codeOf(one)].join(' ');
}

/** `target-timeout` of `target-timeout: The target did not reply within 60000 ms.` */
function codeOf({ reason = '' }: ResultsCase): string[] {
  return /^[a-z][a-z-]*(?=:)/.exec(reason) ?? [];
}

function tagsCell({ tags }: ResultsTable, one: ResultsCase): Cell {
  return { children: [one.tags.map((tag) => tags[tag] ?? '').join(', ')] };
}

function costCell({ cost, before }: ResultsCase): Cell {
  return fromTo(before?.cost ?? undefined, cost ?? undefined, costText);
}

/** `0.01 → 0.02`; what is the same, or of one run alone, once. */
function fromTo(
  before: number | undefined,
  now: number | undefined,
  text: (value: number) => string,
): Cell {
  const texts = [before, now].flatMap((value) => (value === undefined ? [] : [text(value)]));
  return { children: [[...new Set(texts)].join(' → ')] };
}
