import type { ComparedOutcome, ComparedWords } from '../../src/core/compared.ts';
import { costText, durationText } from '../../src/core/presentation/amounts.ts';
import { OUTCOME_ICONS } from '../../src/core/presentation/compared.ts';
import { outcomeText } from '../../src/core/presentation/outcomeText.ts';
import { scoreText } from '../../src/core/presentation/score.ts';
import { STATUS_ICONS, STATUS_WORDS } from '../../src/core/presentation/status.ts';
import type { Status } from '../../src/core/verdict.ts';
import type { ResultsCase, ResultsTable } from '../../src/protocol/resultsProtocol.ts';
import { h } from '../h.ts';
import { columnName, outcomeAt, peopleAt, sortKey } from './model.ts';

/** A column of the grid. */
export interface Column {
  readonly title: string;
  /** Pixels. */
  readonly width: number;
  /** By what it sorts. */
  readonly by: string;
  /** The assertion that it shows, by its place in the table. */
  readonly assertion?: number;
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

/** @param room pixels of the grid */
export function columnsOf(table: ResultsTable, room: number): Column[] {
  const narrow = room < NARROW;
  const isCompared = table.cases.some(({ compared }) => compared);
  return [
    { title: 'Case', width: narrow ? 140 : 260, by: 'case', cell: caseCell },
    isCompared
      ? { title: 'Change', width: 170, by: 'status', cell: changeCell }
      : { title: 'Status', width: narrow ? 112 : 120, by: 'status', cell: statusCell },
    ...table.columns.map((_, index): Column => assertionColumn(table, index, isCompared)),
    { title: 'Tags', width: 140, by: 'tags', cell: (one) => tagsCell(table, one) },
    { title: 'Cost', width: isCompared ? 140 : 80, by: 'cost', cell: costCell },
    {
      title: 'Time',
      width: isCompared ? 140 : 90,
      by: 'duration',
      cell: ({ duration, before }) => fromTo(before?.duration, duration, durationText),
    },
  ];
}

function assertionColumn(table: ResultsTable, assertion: number, isCompared: boolean): Column {
  const title = columnName(table, assertion);
  return {
    title,
    width: isCompared ? 170 : 130,
    by: sortKey(title),
    assertion,
    cell(one) {
      const outcome = outcomeAt(table, one, assertion);
      if (!outcome) return EMPTY;
      const { status, score, compared } = outcome;
      if (compared) return comparedCell(title, compared);
      const text = outcomeText(outcome);
      const word = STATUS_WORDS[status];
      const { spread } = outcome;
      const apart = spread === undefined ? '' : `, samples differ by ${scoreText(spread)}`;
      const said =
        score === null ? text : `score ${outcomeText({ ...outcome, spread: undefined })}${apart}`;
      const people = peopleAt(one, assertion);
      const told = people === undefined ? '' : `, people say it is ${people}`;
      return {
        children: [sign(status), text, people === undefined ? '' : ` ${PEOPLE_SIGNS[people]}`],
        name: `${title}: ${said === word ? word : `${word}, ${said}`}${told}`,
        status,
      };
    },
  };
}

/** Sign and words of the change, then what it was and what it is. */
function comparedCell(title: string, { change, shown, spoken }: ComparedWords): Cell {
  return {
    children: [h('span', { class: 'sign', 'aria-hidden': 'true' }, OUTCOME_ICONS[change]), shown],
    name: `${title}: ${spoken}`,
    change,
  };
}

function changeCell({ compared }: ResultsCase): Cell {
  return compared ? comparedCell('Change', compared) : EMPTY;
}

function caseCell({ title, status, scored, compared }: ResultsCase): Cell {
  if (compared) return { children: [title], name: `${title}, ${compared.spoken}` };
  const said = [title, STATUS_WORDS[status], scored === undefined ? undefined : `score ${scored}`];
  return { children: [title], name: said.filter((words) => words !== undefined).join(', ') };
}

function statusCell({ status, scored, reason }: ResultsCase): Cell {
  const word = STATUS_WORDS[status];
  const told = [
    word,
    ...(scored === undefined ? [] : [`score ${scored}`]),
    ...(reason ? [reason] : []),
  ];
  return {
    children: [sign(status), [scored, word].filter((words) => words !== undefined).join(' ')],
    name: `Status: ${told.join(', ')}`,
    status,
  };
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

function sign(status: Status): HTMLElement {
  return h('span', { class: 'sign', 'aria-hidden': 'true' }, STATUS_ICONS[status]);
}
