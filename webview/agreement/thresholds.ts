import { scoreText } from '../../src/core/presentation/score.ts';
import type { ShownThresholds } from '../../src/protocol/agreementProtocol.ts';
import { h } from '../h.ts';
import { renderChart } from '../trends/chart.ts';

const DRAWN = { precision: 'Precision', recall: 'Recall', kappa: 'Kappa' } as const;

/** What a higher or lower threshold would win and lose: drawn, and as a table. */
export function renderThresholds({ head, rows, best, words }: ShownThresholds): HTMLElement {
  const charts = (['precision', 'recall', 'kappa'] as const).map((measure) => {
    const points = rows.flatMap((row, run) => {
      const value = row[measure];
      if (value === null) return [];
      const told = `threshold ${row.cells[0]}: ${DRAWN[measure].toLowerCase()} ${scoreText(value)}`;
      // Less than chance is drawn as nothing; the table has its number.
      return [{ run, value: Math.max(0, value), words: told }];
    });
    const title = `${DRAWN[measure]} at the best:`;
    return renderChart(points, { title, runs: rows.length, most: 1, told: best, text: scoreText });
  });
  return h(
    'section',
    { 'aria-label': 'Thresholds' },
    h('h2', {}, 'Thresholds'),
    h('p', {}, words),
    h('div', { class: 'charts' }, ...charts),
    h(
      'div',
      { class: 'wide' },
      h(
        'table',
        { class: 'thresholds', 'aria-label': 'Agreement at each threshold' },
        h('thead', {}, h('tr', {}, ...head.map(headCell))),
        h(
          'tbody',
          {},
          ...rows.map(({ cells }, index) =>
            h(
              'tr',
              { class: index === best ? 'chosen' : undefined },
              ...cells.map((text, at) =>
                at === 0
                  ? h('th', { scope: 'row', class: 'figure' }, text)
                  : h('td', { class: 'figure' }, text),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

function headCell(words: string): HTMLElement {
  return words === '' ? h('td') : h('th', { scope: 'col', class: 'figure' }, words);
}
