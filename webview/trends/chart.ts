import { h } from '../h.ts';

const SVG = 'http://www.w3.org/2000/svg';

/** Units of the drawing, which is as wide as the page. */
const WIDTH = 600;
const HEIGHT = 110;
const EDGE = 10;

export interface ChartPoint {
  /** Where it stands among the runs. */
  readonly run: number;
  readonly value: number;
  /** What it is, in words. */
  readonly words: string;
}

export interface ChartOptions {
  readonly title: string;
  /** How many runs there are. */
  readonly runs: number;
  /** The highest value that is drawn; that of the points by default. */
  readonly most?: number;
  /** The point whose value stands in the title; the last by default. */
  readonly told?: number;
  readonly text: (value: number) => string;
  /** Undefined where nothing opens. */
  readonly onOpen?: (run: number) => void;
}

/** A line over the runs. The table beside it tells the same, so that it is for the eye alone. */
export function renderChart(points: readonly ChartPoint[], options: ChartOptions): HTMLElement {
  const { title, runs, text, onOpen } = options;
  const most = options.most ?? Math.max(...points.map(({ value }) => value), 0);
  const x = (run: number) =>
    runs < 2 ? WIDTH / 2 : EDGE + (run * (WIDTH - 2 * EDGE)) / (runs - 1);
  const y = (value: number) =>
    HEIGHT - EDGE - (most === 0 ? 0 : (value / most) * (HEIGHT - 2 * EDGE));
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
    svg('line', { x1: 0, x2: WIDTH, y1: y(most), y2: y(most), class: 'axis' }),
    svg('polyline', { points: line.join(' '), class: 'line' }),
    ...dots,
  );
  const told = points.find(({ run }) => run === options.told) ?? points.at(-1);
  if (!told) return h('figure', {}, h('figcaption', {}, `${title}: not known`));
  return h(
    'figure',
    { 'aria-hidden': 'true' },
    h('figcaption', {}, title, h('b', {}, ` ${text(told.value)}`)),
    h(
      'div',
      { class: 'plot' },
      h('div', { class: 'scale muted' }, h('span', {}, text(most)), h('span', {}, text(0))),
      wrapped(drawing),
    ),
  );
}

function wrapped(drawing: SVGElement): HTMLElement {
  const holder = h('div', { class: 'drawing' });
  holder.append(drawing);
  return holder;
}

function svg(tag: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS(SVG, tag) as SVGElement;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, `${value}`);
  return element;
}
