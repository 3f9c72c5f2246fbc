import { counted } from '../../src/core/text/format.ts';
import type { ResultsTable, TableSettings } from '../../src/protocol/resultsProtocol.ts';
import { h } from '../h.ts';
import type { IndexRange } from '../indexRange.ts';
import type { Column } from './columns.ts';
import type { Row } from './model.ts';

/** Pixels of a row, as in the style sheet. */
export const ROW = 28;

/** The row of the headings, among the rows. */
export const HEAD = -1;

export interface GridContent {
  readonly table: ResultsTable;
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
  readonly sort: TableSettings['sort'];
}

/** A cell. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

function cellsOf(
  columns: readonly Column[],
  shown: IndexRange,
  make: (column: Column, at: number) => HTMLElement,
): HTMLElement[] {
  const cells: HTMLElement[] = [];
  let left = 0;
  for (const [at, column] of columns.entries()) {
    if (at === 0 || (at >= shown.first && at < shown.end)) {
      const cell = make(column, at);
      cell.style.width = `${column.width}px`;
      if (at > 0) cell.style.left = `${left}px`;
      cells.push(cell);
    }
    left += column.width;
  }
  return cells;
}

/** The headings. @param shown the columns in view, beside the first */
export function renderHead({ columns, sort }: GridContent, shown: IndexRange): HTMLElement[] {
  return cellsOf(columns, shown, ({ title, by }, at) => {
    const direction = sort?.by !== by ? undefined : sort.descending ? '▾' : '▴';
    const order = sort?.by !== by ? 'none' : sort.descending ? 'descending' : 'ascending';
    return h(
      'div',
      {
        class: at === 0 ? 'cell first' : 'cell',
        role: 'columnheader',
        id: idOf({ row: HEAD, column: at }),
        'aria-colindex': String(at + 1),
        'aria-sort': order,
        title,
        'data-column': String(at),
      },
      h('span', { class: 'words' }, title),
      direction !== undefined && h('span', { 'aria-hidden': 'true' }, direction),
    );
  });
}

/** A row with its cells in view. @param at the row, counted from 0 */
export function renderRow(
  { table, rows, columns }: GridContent,
  at: number,
  shown: IndexRange,
): HTMLElement {
  const row = rows[at] as Row;
  const element = h('div', {
    class: row.kind === 'group' ? 'row group' : 'row',
    role: 'row',
    'aria-rowindex': String(at + 2),
    'data-row': String(at),
  });
  element.style.top = `${at * ROW}px`;
  if (row.kind === 'group') {
    element.append(groupCell(row, at, columns.length));
    return element;
  }
  const one = table.cases[row.index];
  if (!one) return element;
  element.dataset.status = one.status;
  element.append(
    ...cellsOf(columns, shown, ({ cell }, column) => {
      const { children, name, status, change } = cell(one);
      return h(
        'div',
        {
          class: column === 0 ? 'cell first' : 'cell',
          role: column === 0 ? 'rowheader' : 'gridcell',
          id: idOf({ row: at, column }),
          'aria-colindex': String(column + 1),
          'aria-label': name,
          title: name,
          'data-column': String(column),
          'data-status': status,
          'data-change': change,
        },
        ...children,
      );
    }),
  );
  return element;
}

/** Of a cell's element. */
export function idOf({ row, column }: Place): string {
  return `cell-${row === HEAD ? 'head' : row}-${column}`;
}

function groupCell(
  { name, cases, passed, folded }: Extract<Row, { kind: 'group' }>,
  at: number,
  span: number,
): HTMLElement {
  return h(
    'div',
    {
      class: 'cell first',
      role: 'gridcell',
      id: idOf({ row: at, column: 0 }),
      'aria-colindex': '1',
      'aria-colspan': String(span),
      'aria-expanded': folded ? 'false' : 'true',
      'data-column': '0',
    },
    h('span', { 'aria-hidden': 'true' }, folded ? '▸ ' : '▾ '),
    h('span', { class: 'name' }, name),
    h('span', { class: 'muted' }, ` ${counted(cases, 'case')}, ${passed} passed`),
  );
}
