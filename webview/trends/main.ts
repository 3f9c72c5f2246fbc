import { costText, durationText, shareText } from '../../src/core/presentation/amounts.ts';
import { runTimes } from '../../src/core/presentation/repeatedText.ts';
import { scoreText } from '../../src/core/presentation/score.ts';
import { STATUS_WORDS } from '../../src/core/presentation/status.ts';
import {
  type FromTrends,
  METRICS,
  type Metric,
  type TrendSuite,
  type Trends,
  type TrendsState,
  toTrendsSchema,
  trendsStateSchema,
} from '../../src/protocol/trendsProtocol.ts';
import { h, link } from '../h.ts';
import { vsCodeHost } from '../host.ts';
import { dropdown } from '../ui/controls.ts';
import { renderChart } from './chart.ts';

const TITLES: Readonly<Record<Metric, string>> = {
  passRate: 'Pass rate',
  score: 'Mean score',
  cost: 'Cost',
  latency: 'Mean time of a case',
};

const TEXTS: Readonly<Record<Metric, (value: number) => string>> = {
  passRate: shareText,
  score: (value) => scoreText(value),
  cost: costText,
  latency: durationText,
};

/** The trends of the workspace, as the extension sends them. */
export function showTrends(root: HTMLElement): void {
  const host = vsCodeHost<FromTrends, ReturnType<typeof toTrendsSchema.parse>, TrendsState>(
    toTrendsSchema,
  );
  root.classList.add('trends');
  let name = trendsStateSchema.safeParse(host.kept).data?.suite;
  let trends: Trends | undefined;
  const draw = () => {
    if (!trends) return;
    const { suites } = trends;
    const chosen = suites.find((one) => one.name === name) ?? suites[0];
    const focused = document.activeElement?.getAttribute('data-focus');
    root.replaceChildren(
      ...(chosen ? page(trends, chosen) : [h('p', {}, 'No run has a case that finished.')]),
    );
    if (focused) root.querySelector<HTMLElement>(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
  };
  const open = (run: number) => host.post({ kind: 'open', run });
  const page = (all: Trends, chosen: TrendSuite): HTMLElement[] => [
    h('header', { class: 'top' }, h('h1', {}, 'Trends'), h('div', { class: 'muted' }, chosen.name)),
    ...choice(all, chosen, (other) => {
      name = other;
      host.keep({ suite: other });
      draw();
    }),
    h('div', { class: 'charts' }, ...METRICS.map((metric) => chart(metric, all, chosen, open))),
    table(all, chosen, open),
  ];
  host.listen((message) => {
    ({ trends } = message);
    draw();
  });
  // So that a reload brings the page back, whatever was chosen.
  host.keep({ ...(name !== undefined && { suite: name }) });
  host.post({ kind: 'ready' });
}

function choice(
  { suites }: Trends,
  { name }: TrendSuite,
  onChange: (name: string) => void,
): HTMLElement[] {
  if (suites.length < 2) return [];
  const menu = dropdown({
    label: 'Eval file',
    options: suites.map((one, index) => ({ value: `=${index}`, label: one.name })),
    value: `=${suites.findIndex((one) => one.name === name)}`,
    onChange: (value) => onChange(suites[Number(value.slice(1))]?.name ?? name),
  });
  menu.dataset.focus = 'suite';
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
  const most = metric === 'passRate' || metric === 'score' ? { most: 1 } : {};
  return renderChart(drawn, { title: TITLES[metric], runs: runs.length, text, onOpen, ...most });
}

/** `24 cases, run 30 times, 1 errored` */
function sizeText({ cases, executions, errored }: TrendSuite['points'][number]): string {
  const size = runTimes(cases, executions);
  return errored === 0 ? size : `${size}, ${errored} ${STATUS_WORDS.error}`;
}

/** The same as words, the newest first; each row opens its run. */
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
    return h(
      'tr',
      {},
      h('th', { scope: 'row' }, opening, ` ${title}`),
      ...[commit, ...cells, sizeText(point)].map((text) => h('td', {}, text)),
    );
  });
  return h(
    'div',
    { class: 'rows', tabindex: '0', role: 'region', 'aria-label': 'Runs' },
    h(
      'table',
      { 'aria-label': `Runs of ${name}` },
      h('thead', {}, h('tr', {}, ...heads.map((text) => h('th', { scope: 'col' }, text)))),
      h('tbody', {}, ...rows),
    ),
  );
}
