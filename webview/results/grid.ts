import { counted } from '../../src/core/text/format.ts';
import type { ResultsTable, TableSettings } from '../../src/protocol/resultsProtocol.ts';
import { h } from '../h.ts';
import { type IndexRange, rangeInView, scrollOffsetFor } from '../indexRange.ts';
import type { Column } from './columns.ts';
import { type GridRow, nextFailing } from './model.ts';

/** Number of rows to draw above and below the view. */
const OVERSCAN = 8;

interface GridActions {
  readonly onOpen: (index: number, assertion: number | undefined) => void;
  readonly onSort: (by: string) => void;
  readonly onFold: (group: string) => void;
  readonly onScroll: (top: number) => void;
}

/**
 * The table, of which only the visible rows are on the page. As in VS Code's lists, the table itself has the focus and
 * names the active cell, so that the focus isn't lost if a row is removed.
 */
export class Grid {
  readonly element = h('div', {
    class: 'grid',
    role: 'grid',
    tabindex: '0',
    'aria-label': 'Results',
    'data-focus': 'grid',
  });
  readonly #actions: GridActions;
  readonly #head = h('div', { class: 'row head', role: 'row', 'aria-rowindex': '1' });
  readonly #body = h('div', { class: 'body', role: 'rowgroup' });
  readonly #drawn = new Map<number, HTMLElement>();
  #content: GridContent | undefined;
  #columns: IndexRange = { first: 0, end: 0 };
  #active: CellPosition = { row: 0, column: 0 };
  #frame = 0;
  /** Height available for rows, in pixels. */
  #room = 0;

  constructor(actions: GridActions) {
    this.#actions = actions;
    this.element.append(h('div', { class: 'heads', role: 'rowgroup' }, this.#head), this.#body);
    this.element.addEventListener('scroll', () => {
      this.#scheduleDraw();
      actions.onScroll(this.element.scrollTop);
    });
    this.element.addEventListener('keydown', (event) => this.#press(event));
    this.element.addEventListener('click', ({ target }) => this.#click(target));
    new ResizeObserver(() => this.#resized()).observe(this.element);
  }

  /** Shows new content. The active case stays active, even if its row moves. */
  show(content: GridContent): void {
    const before = this.#content?.rows[this.#active.row];
    this.#content = content;
    if (before?.kind === 'case') {
      const again = content.rows.findIndex(
        (row) => row.kind === 'case' && row.index === before.index,
      );
      if (again >= 0) this.#active = { ...this.#active, row: again };
    }
    this.#keepInside();
    const { element } = this;
    element.setAttribute('aria-rowcount', String(content.rows.length + 1));
    element.setAttribute('aria-colcount', String(content.columns.length));
    const width = content.columns.reduce((sum, column) => sum + column.width, 0);
    this.#body.style.height = `${content.rows.length * ROW}px`;
    this.#body.style.width = `${width}px`;
    this.#head.style.width = `${width}px`;
    this.#draw(true);
  }

  scrollTo(top: number): void {
    this.element.scrollTop = top;
  }

  focus(): void {
    this.element.focus({ preventScroll: true });
  }

  /** Keeps the active row visible, for example if a conversation opens next to the table. */
  #resized(): void {
    const { row } = this.#active;
    const below = row * ROW - this.element.scrollTop;
    const wasInView = row >= 0 && below >= 0 && below < this.#room;
    this.#room = this.element.clientHeight - this.#head.offsetHeight;
    if (wasInView) this.#revealRow();
    this.#scheduleDraw();
  }

  #scheduleDraw(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw(false);
    });
  }

  /** @param redraw whether the rows may have changed */
  #draw(redraw: boolean): void {
    const content = this.#content;
    if (!content) return;
    const { scrollTop, clientHeight } = this.element;
    const columns = this.#columnsInView(content.columns);
    const moved = columns.first !== this.#columns.first || columns.end !== this.#columns.end;
    this.#columns = columns;
    if (redraw || moved) {
      for (const row of this.#drawn.values()) row.remove();
      this.#drawn.clear();
      this.#head.replaceChildren(...renderHead(content, this.#columns));
    }
    const view = { from: scrollTop, room: clientHeight, size: ROW, overscan: OVERSCAN };
    const { first, end } = rangeInView(view, content.rows.length);
    for (const [at, row] of this.#drawn) {
      if (at >= first && at < end) continue;
      row.remove();
      this.#drawn.delete(at);
    }
    for (let at = first; at < end; at += 1) {
      if (this.#drawn.has(at)) continue;
      const row = renderRow(content, at, this.#columns);
      this.#drawn.set(at, row);
      // Screen readers read rows in document order.
      const next = this.#drawn.get(at + 1) ?? null;
      this.#body.insertBefore(row, next?.parentElement === this.#body ? next : null);
    }
    this.#mark();
  }

  /** The range of visible columns, except for the first one, which is always visible. */
  #columnsInView(columns: readonly Column[]): IndexRange {
    const { scrollLeft, clientWidth } = this.element;
    const sticky = columns[0]?.width ?? 0;
    let left = sticky;
    let first = columns.length;
    let end = 1;
    for (const [at, { width }] of columns.entries()) {
      if (at === 0) continue;
      if (left + width > scrollLeft + sticky) first = Math.min(first, at);
      if (left < scrollLeft + clientWidth) end = at + 1;
      left += width;
    }
    return { first: Math.min(first, end), end };
  }

  #keepInside(): void {
    const { rows = [], columns = [] } = this.#content ?? {};
    const { row } = this.#active;
    this.#active = {
      // If there are no rows, the active cell doesn't move to the headings.
      row: row < 0 ? HEAD : Math.max(0, Math.min(row, rows.length - 1)),
      column: Math.max(0, Math.min(this.#active.column, columns.length - 1)),
    };
  }

  /** Marks the active cell. */
  #mark(): void {
    for (const old of this.element.querySelectorAll('.active')) old.classList.remove('active');
    const { row, column } = this.#active;
    const isGroup = this.#content?.rows[row]?.kind === 'group';
    const id = idOf({ row, column: isGroup ? 0 : column });
    const cell = document.getElementById(id);
    cell?.classList.add('active');
    if (cell) this.element.setAttribute('aria-activedescendant', id);
    else this.element.removeAttribute('aria-activedescendant');
  }

  #go(place: CellPosition): void {
    this.#active = place;
    this.#keepInside();
    this.#reveal();
    this.#draw(false);
  }

  #reveal(): void {
    const { row, column } = this.#active;
    const { element } = this;
    const columns = this.#content?.columns ?? [];
    if (row >= 0) this.#revealRow();
    if (column === 0) return;
    const sticky = columns[0]?.width ?? 0;
    const left = columns.slice(0, column).reduce((sum, { width }) => sum + width, 0);
    const right = left + (columns[column]?.width ?? 0);
    if (left - sticky < element.scrollLeft) element.scrollLeft = left - sticky;
    else if (right > element.scrollLeft + element.clientWidth) {
      element.scrollLeft = right - element.clientWidth;
    }
  }

  #revealRow(): void {
    const { element } = this;
    const room = element.clientHeight - this.#head.offsetHeight;
    const view = { from: element.scrollTop, room, size: ROW };
    element.scrollTop = scrollOffsetFor(this.#active.row, view);
  }

  #press(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 2);
    const next = this.#content && nextPosition(event, this.#active, this.#content, page);
    if (next) this.#go(next);
    else if (event.key === 'Enter') this.#act(this.#active);
    else return;
    event.preventDefault();
  }

  #click(target: EventTarget | null): void {
    const cell = target instanceof Element ? target.closest<HTMLElement>('[data-column]') : null;
    const row = cell?.parentElement?.dataset.row;
    if (!cell) return;
    this.#active = {
      row: row === undefined ? HEAD : Number(row),
      column: Number(cell.dataset.column),
    };
    this.#mark();
    this.#act(this.#active);
  }

  #act({ row, column }: CellPosition): void {
    const chosen = this.#content?.columns[column];
    const found = this.#content?.rows[row];
    if (row === HEAD && chosen) this.#actions.onSort(chosen.by);
    else if (found?.kind === 'group') this.#actions.onFold(found.name);
    else if (found) {
      const one = this.#content?.table.cases[found.index];
      this.#actions.onOpen(found.index, one && chosen?.opens?.(one));
    }
  }
}

/** The position that a key moves to; undefined if there is none. @param page number of rows per page */
function nextPosition(
  { key, ctrlKey, metaKey, altKey }: KeyboardEvent,
  { row, column }: CellPosition,
  { table, rows, columns }: GridContent,
  page: number,
): CellPosition | undefined {
  const far = ctrlKey || metaKey;
  if (altKey) return undefined;
  switch (key) {
    case 'ArrowDown':
      return { row: row + 1, column };
    case 'ArrowUp':
      return { row: row - 1, column };
    case 'ArrowRight':
      return { row, column: column + 1 };
    case 'ArrowLeft':
      return { row, column: column - 1 };
    case 'PageDown':
      return { row: row + page, column };
    case 'PageUp':
      return { row: Math.max(0, row - page), column };
    case 'Home':
      return { row: far ? 0 : row, column: 0 };
    case 'End':
      return { row: far ? rows.length - 1 : row, column: columns.length - 1 };
    case 'n':
    case 'p': {
      const found = !far && nextFailing(table, rows, row, key === 'n' ? 1 : -1);
      return typeof found === 'number' ? { row: found, column } : undefined;
    }
    default:
      return undefined;
  }
}

/** Height of a row in pixels, as in the style sheet. */
const ROW = 28;

/** The index of the heading row. */
const HEAD = -1;

interface GridContent {
  readonly table: ResultsTable;
  readonly rows: readonly GridRow[];
  readonly columns: readonly Column[];
  readonly sort: TableSettings['sort'];
}

interface CellPosition {
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

/** @param shown the visible columns, except for the first one */
function renderHead({ columns, sort }: GridContent, shown: IndexRange): HTMLElement[] {
  return cellsOf(columns, shown, ({ title, by }, at) => {
    const direction = sort?.by === by && (sort.descending ? 'descending' : 'ascending');
    return h(
      'div',
      {
        ...cellAttributes({ row: HEAD, column: at }),
        role: 'columnheader',
        'aria-sort': direction || 'none',
        title,
      },
      h('span', { class: 'words' }, title),
      direction && h('span', { 'aria-hidden': 'true' }, direction === 'descending' ? '▾' : '▴'),
    );
  });
}

/** A row with its visible cells. @param at the row's index, from 0 */
function renderRow(
  { table, rows, columns }: GridContent,
  at: number,
  shown: IndexRange,
): HTMLElement {
  const row = rows[at] as GridRow;
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
          ...cellAttributes({ row: at, column }),
          role: column === 0 ? 'rowheader' : 'gridcell',
          'aria-label': name,
          title: name,
          'data-status': status,
          'data-change': change,
        },
        ...children,
      );
    }),
  );
  return element;
}

function cellAttributes({ row, column }: CellPosition) {
  return {
    class: column === 0 ? 'cell first' : 'cell',
    id: idOf({ row, column }),
    'aria-colindex': String(column + 1),
    'data-column': String(column),
  };
}

/** The id of a cell's element. */
function idOf({ row, column }: CellPosition): string {
  return `cell-${row === HEAD ? 'head' : row}-${column}`;
}

function groupCell(
  { name, cases, passed, folded }: Extract<GridRow, { kind: 'group' }>,
  at: number,
  span: number,
): HTMLElement {
  return h(
    'div',
    {
      ...cellAttributes({ row: at, column: 0 }),
      role: 'gridcell',
      'aria-colspan': String(span),
      'aria-expanded': String(!folded),
    },
    h('span', { 'aria-hidden': 'true' }, folded ? '▸ ' : '▾ '),
    h('span', { class: 'name' }, name),
    h('span', { class: 'muted' }, ` ${counted(cases, 'case')}, ${passed} passed`),
  );
}
