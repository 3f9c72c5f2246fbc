import { scoreText } from '../../src/core/presentation/score.ts';
import { STATUS_WORDS } from '../../src/core/presentation/words.ts';
import { caseCountText, costText, durationText, shareText } from '../../src/core/text/format.ts';
import {
  METRICS,
  type Metric,
  type ToTrends,
  type TrendSuite,
  type Trends,
  type trendsProtocol,
} from '../../src/protocol/trendsProtocol.ts';
import { h, link, renderTable } from '../h.ts';
import type { Host } from '../host.ts';
import { FocusRestorer } from '../redraw.ts';
import { dropdown } from '../ui/controls.ts';
import { renderChart } from './chart.ts';

const TITLES: Readonly<Record<Metric, string>> = {
  passRate: 'Pass rate',
  score: 'Mean score',
  cost: 'Cost',
  latency: 'Mean time per case',
};

const TEXTS: Readonly<Record<Metric, (value: number) => string>> = {
  passRate: shareText,
  score: (value) => scoreText(value),
  cost: costText,
  latency: durationText,
};

/** Shows the trends of an eval file. @param name its saved name */
export function showTrends(
  root: HTMLElement,
  host: Host<typeof trendsProtocol>,
  name: string | undefined,
) {
  root.classList.add('trends');
  const focus = new FocusRestorer(root);
  const keep = () => host.keep({ ...(name !== undefined && { suite: name }) });
  const open = (run: number) => host.post({ kind: 'open', run });
  const page = (trends: Trends, chosen: TrendSuite): HTMLElement[] => [
    h('header', { class: 'top' }, h('h1', 'Trends'), h('div', { class: 'muted' }, chosen.name)),
    ...choice(trends, chosen, (other) => {
      name = other;
      keep();
      receive({ trends });
    }),
    h('div', { class: 'charts' }, ...METRICS.map((metric) => chart(metric, trends, chosen, open))),
    table(trends, chosen, open),
  ];
  const receive = ({ trends }: Pick<ToTrends, 'trends'>) => {
    const chosen = trends.suites.find((one) => one.name === name) ?? trends.suites[0];
    const parts = chosen ? page(trends, chosen) : [h('p', 'No run has a finished case.')];
    focus.draw(() => root.replaceChildren(...parts));
  };
  // Saves the state right away, so that a reload restores the page.
  keep();
  return { receive };
}

function choice(
  { suites }: Trends,
  { name }: TrendSuite,
  onChange: (name: string) => void,
): HTMLElement[] {
  if (suites.length < 2) return [];
  const menu = dropdown({
    label: 'Eval file',
    options: suites.map((one) => ({ value: one.name, label: one.name })),
    value: name,
    onChange,
  });
  return [h('div', { class: 'toolbar', role: 'group', 'aria-label': 'Filter' }, menu)];
}

function chart(
  metric: Metric,
  { runs }: Trends,
  { points }: TrendSuite,
  onOpen: (run: number) => void,
): HTMLElement {
  const text = TEXTS[metric];
  const drawn = points.flatMap((point) => {
    const value = point[metric];
    if (value === null) return [];
    const { time = '', commit } = runs[point.run] ?? {};
    const words = [text(value), time, ...(commit === undefined ? [] : [commit])].join(', ');
    return [{ run: point.run, value, words }];
  });
  const most = metric === 'passRate' || metric === 'score' ? { max: 1 } : {};
  return renderChart(drawn, { title: TITLES[metric], runs: runs.length, text, onOpen, ...most });
}

/** `24 cases, 30 conversations, 1 errored` */
function sizeText({ cases, conversations, errored }: TrendSuite['points'][number]): string {
  const size = caseCountText(cases, conversations);
  return errored === 0 ? size : `${size}, ${errored} ${STATUS_WORDS.error}`;
}

/** The values as a table, with the newest first. Each row opens its run. */
function table(
  { runs }: Trends,
  { points, name }: TrendSuite,
  onOpen: (run: number) => void,
): HTMLElement {
  const heads = ['Run', 'Commit', ...METRICS.map((metric) => TITLES[metric]), 'Size'];
  const rows = [...points].reverse().map((point) => {
    const { title = '', time = '', commit = '' } = runs[point.run] ?? {};
    const cells = METRICS.map((metric) => {
      const value = point[metric];
      return value === null ? '–' : TEXTS[metric](value);
    });
    const opening = link(time, `Open the results of ${title} of ${time}`, () => onOpen(point.run));
    opening.dataset.focus = `run ${point.run}`;
    const run = h('span', opening, ` ${title}`);
    return { cells: [run, commit, ...cells, sizeText(point)] };
  });
  return h(
    'div',
    { class: 'rows', tabindex: '0', role: 'region', 'aria-label': 'Runs' },
    renderTable(heads, rows, { label: `Runs of ${name}` }),
  );
}
