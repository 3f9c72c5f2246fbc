import { type Child, h } from './h.ts';

export interface TableRow {
  readonly cells: readonly Child[];
  readonly chosen?: boolean;
}

export interface TableOptions {
  readonly class?: string;
  /** The name for a screen reader. */
  readonly label?: string;
  /** The column that names its row; the first by default. */
  readonly heading?: number;
  /** The first column of numbers; none by default. */
  readonly figures?: number;
}

/** @param heads the names of the columns; an empty one is no heading */
export function renderTable(
  heads: readonly string[],
  rows: readonly TableRow[],
  { class: style, label, heading = 0, figures = heads.length }: TableOptions,
): HTMLElement {
  const figure = (at: number) => (at < figures ? undefined : 'figure');
  return h(
    'table',
    { class: style, 'aria-label': label },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ...heads.map((words, at) =>
          words === '' ? h('td') : h('th', { scope: 'col', class: figure(at) }, words),
        ),
      ),
    ),
    h(
      'tbody',
      {},
      ...rows.map(({ cells, chosen }) =>
        h(
          'tr',
          { class: chosen ? 'chosen' : undefined },
          ...cells.map((cell, at) =>
            at === heading
              ? h('th', { scope: 'row', class: figure(at) }, cell)
              : h('td', { class: figure(at) }, cell),
          ),
        ),
      ),
    ),
  );
}
