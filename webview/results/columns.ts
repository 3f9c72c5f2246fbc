import { costText, durationText } from '../../src/core/presentation/amounts.ts';
import { outcomeText } from '../../src/core/presentation/outcomeText.ts';
import { STATUS_ICONS, STATUS_WORDS } from '../../src/core/presentation/status.ts';
import type { Status } from '../../src/core/verdict.ts';
import type { ResultsCase, ResultsTable } from '../../src/protocol/resultsProtocol.ts';
import { h } from '../h.ts';
import { columnName, outcomeAt, sortKey } from './model.ts';

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
}

const EMPTY: Cell = { children: [] };

/** Pixels below which the first columns give way. */
const NARROW = 600;

/** @param room pixels of the grid */
export function columnsOf(table: ResultsTable, room: number): Column[] {
  const narrow = room < NARROW;
  return [
    { title: 'Case', width: narrow ? 140 : 260, by: 'case', cell: caseCell },
    { title: 'Status', width: narrow ? 112 : 120, by: 'status', cell: statusCell },
    ...table.columns.map((_, index): Column => assertionColumn(table, index)),
    { title: 'Tags', width: 140, by: 'tags', cell: (one) => tagsCell(table, one) },
    { title: 'Cost', width: 80, by: 'cost', cell: costCell },
    {
      title: 'Time',
      width: 90,
      by: 'duration',
      cell: ({ duration }) => ({ children: [durationText(duration)] }),
    },
  ];
}

function assertionColumn(table: ResultsTable, assertion: number): Column {
  const title = columnName(table, assertion);
  return {
    title,
    width: 130,
    by: sortKey(title),
    assertion,
    cell(one) {
      const outcome = outcomeAt(table, one, assertion);
      if (!outcome) return EMPTY;
      const { status, score } = outcome;
      const text = outcomeText(outcome);
      const word = STATUS_WORDS[status];
      const said = score === null ? text : `score ${text}`;
      return {
        children: [sign(status), text],
        name: `${title}: ${said === word ? word : `${word}, ${said}`}`,
        status,
      };
    },
  };
}

function caseCell({ title, status, scored }: ResultsCase): Cell {
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

function costCell({ cost }: ResultsCase): Cell {
  return cost === null ? EMPTY : { children: [costText(cost)] };
}

function sign(status: Status): HTMLElement {
  return h('span', { class: 'sign', 'aria-hidden': 'true' }, STATUS_ICONS[status]);
}
