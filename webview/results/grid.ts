import { h } from '../h.ts';
import { type IndexRange, rangeInView, scrolledTo } from '../indexRange.ts';
import type { Column } from './columns.ts';
import {
  type GridContent,
  HEAD,
  idOf,
  type Place,
  ROW,
  renderHead,
  renderRow,
} from './gridRows.ts';
import { nextFailing } from './model.ts';

/** Rows drawn above and below the view. */
const BEYOND = 8;

export interface GridActions {
  readonly onOpen: (index: number, assertion: number | undefined) => void;
  readonly onSort: (by: string) => void;
  readonly onFold: (group: string) => void;
  readonly onScroll: (top: number) => void;
}

/**
 * The table: of thousands of rows those in view are in the page. The focus is on the table, which names the cell
 * that a person is at, as lists of VS Code do: a row that leaves the page takes no focus with it.
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
  #active: Place = { row: 0, column: 0 };
  #frame = 0;
  /** Pixels that rows have. */
  #room = 0;

  constructor(actions: GridActions) {
    this.#actions = actions;
    this.element.append(h('div', { class: 'heads', role: 'rowgroup' }, this.#head), this.#body);
    this.element.addEventListener('scroll', () => {
      this.#later();
      actions.onScroll(this.element.scrollTop);
    });
    this.element.addEventListener('keydown', (event) => this.#press(event));
    this.element.addEventListener('click', ({ target }) => this.#click(target));
    new ResizeObserver(() => this.#resized()).observe(this.element);
  }

  /** The case that a person was at stays the one, wherever its row goes. */
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

  /** A conversation that opens beside takes room: the row that one is at stays in view. */
  #resized(): void {
    const { row } = this.#active;
    const below = row * ROW - this.element.scrollTop;
    const wasInView = row >= 0 && below >= 0 && below < this.#room;
    this.#room = this.element.clientHeight - this.#head.offsetHeight;
    if (wasInView) this.#revealRow();
    this.#later();
  }

  #later(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw(false);
    });
  }

  /** @param anew whether what is drawn may look different now */
  #draw(anew: boolean): void {
    const content = this.#content;
    if (!content) return;
    const { scrollTop, clientHeight } = this.element;
    const columns = this.#columnsInView(content.columns);
    const moved = columns.first !== this.#columns.first || columns.end !== this.#columns.end;
    this.#columns = columns;
    if (anew || moved) {
      for (const row of this.#drawn.values()) row.remove();
      this.#drawn.clear();
      this.#head.replaceChildren(...renderHead(content, this.#columns));
    }
    const view = { from: scrollTop, room: clientHeight, size: ROW, beyond: BEYOND };
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
      // In their order, which is the one in which they are read out.
      const next = this.#drawn.get(at + 1) ?? null;
      this.#body.insertBefore(row, next?.parentElement === this.#body ? next : null);
    }
    this.#mark();
  }

  /** The first one is always in view. */
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
      // Where nothing is found, yet, one does not end up at the headings.
      row: row < 0 ? HEAD : Math.max(0, Math.min(row, rows.length - 1)),
      column: Math.max(0, Math.min(this.#active.column, columns.length - 1)),
    };
  }

  /** Says which cell is the one. */
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

  #go(place: Place): void {
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
    element.scrollTop = scrolledTo(this.#active.row, { from: element.scrollTop, room, size: ROW });
  }

  #press(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 2);
    const next = this.#content && placeFor(event, this.#active, this.#content, page);
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

  #act({ row, column }: Place): void {
    const chosen = this.#content?.columns[column];
    const found = this.#content?.rows[row];
    if (row === HEAD && chosen) this.#actions.onSort(chosen.by);
    else if (found?.kind === 'group') this.#actions.onFold(found.name);
    else if (found) this.#open(found.index, chosen);
  }

  #open(index: number, chosen: Column | undefined): void {
    const one = this.#content?.table.cases[index];
    this.#actions.onOpen(index, one && chosen?.opens?.(one));
  }
}

/** Where a key leads to; undefined where nowhere. @param page rows of a page */
function placeFor(
  { key, ctrlKey, metaKey, altKey }: KeyboardEvent,
  { row, column }: Place,
  { table, rows, columns }: GridContent,
  page: number,
): Place | undefined {
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
