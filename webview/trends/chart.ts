import { h } from '../h.ts';

const SVG = 'http://www.w3.org/2000/svg';

/** Size of the drawing in its own units; it is scaled to fit the page. */
const WIDTH = 600;
const HEIGHT = 110;
const EDGE = 10;

interface ChartPoint {
  /** Index of the run. */
  readonly run: number;
  readonly value: number;
  readonly words: string;
}

interface ChartOptions {
  readonly title: string;
  readonly runs: number;
  /** The highest value on the scale; by default, the highest point. */
  readonly max?: number;
  /** The run whose value is in the title; by default, the last run. */
  readonly highlighted?: number;
  readonly text: (value: number) => string;
  /** Opens a run; undefined if nothing can be opened. */
  readonly onOpen?: (run: number) => void;
}

/** A line chart over runs. Hidden from screen readers, because a table shows the same values. */
export function renderChart(points: readonly ChartPoint[], options: ChartOptions): HTMLElement {
  const { title, runs, text, onOpen } = options;
  const max = options.max ?? Math.max(...points.map(({ value }) => value), 0);
  const x = (run: number) =>
    runs < 2 ? WIDTH / 2 : EDGE + (run * (WIDTH - 2 * EDGE)) / (runs - 1);
  const y = (value: number) =>
    HEIGHT - EDGE - (max === 0 ? 0 : (value / max) * (HEIGHT - 2 * EDGE));
  const line = points.map(({ run, value }) => `${x(run).toFixed(1)},${y(value).toFixed(1)}`);
  const dots = points.map(({ run, value, words }) => {
    const dot = svg('circle', { cx: x(run), cy: y(value), r: 5, class: 'dot' });
    const name = svg('title', {});
    name.append(words);
    dot.append(name);
    if (onOpen) dot.addEventListener('click', () => onOpen(run));
    return dot;
  });
  const drawing = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'chart' });
  drawing.append(
    svg('line', { x1: 0, x2: WIDTH, y1: y(0), y2: y(0), class: 'axis' }),
    svg('line', { x1: 0, x2: WIDTH, y1: y(max), y2: y(max), class: 'axis' }),
    svg('polyline', { points: line.join(' '), class: 'line' }),
    ...dots,
  );
  const highlighted = points.find(({ run }) => run === options.highlighted) ?? points.at(-1);
  if (!highlighted) return h('figure', h('figcaption', `${title}: unknown`));
  return h(
    'figure',
    { 'aria-hidden': 'true' },
    h('figcaption', title, h('b', ` ${text(highlighted.value)}`)),
    h(
      'div',
      { class: 'plot' },
      h('div', { class: 'scale muted' }, h('span', text(max)), h('span', text(0))),
      h('div', { class: 'drawing' }, drawing),
    ),
  );
}

function svg(tag: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS(SVG, tag) as SVGElement;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, `${value}`);
  return element;
}
