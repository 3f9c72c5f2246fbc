import { type Aim, print, table } from '../print.ts';
import { megabytes } from '../processes.ts';
import { runBench } from './bench.ts';

/** Milliseconds from a click on a run to its rows. */
const MOST_OPENING = 1_000;

/** Milliseconds to an answer that feels like one's own act. */
const MOST_ACT = 200;

/** Milliseconds of a frame at 60 a second, and a tenth more for the clock. */
const MOST_FRAME = 18.4;

const MOST_NODES = 2_000;

const result = await runBench();
const { cases, assertions, bytes, rounds, medians } = result;
const { comparedOpened, comparedRead, findings, comparedDrawn } = medians;
const { comparedFiltered, comparedFrame, comparedNodes } = medians;
const { read, drawn, opened, sorted, filtered, searched, frame, slowFrame, nodes, heap } = medians;
const rows = [
  ['opened: the first rows of what is read by then', milliseconds(opened)],
  ['the whole record, read by the extension', milliseconds(read)],
  ['the whole table, message → drawn', milliseconds(drawn)],
  ['sorted by an assertion', milliseconds(sorted)],
  ['filtered by status', milliseconds(filtered)],
  ['a text looked for in all turns and reasons', milliseconds(searched)],
  ['a frame while scrolling', `${frame.toFixed(1)} ms`],
  ['the same, 95th percentile', `${slowFrame.toFixed(1)} ms`],
  ['elements of the page', nodes.toFixed(0)],
  ['what the extension holds', megabytes(heap)],
  ['compared with another run: the first rows', milliseconds(comparedOpened)],
  ['compared: both records, read and compared by the extension', milliseconds(comparedRead)],
  ['compared: the statistics of all assertions', milliseconds(findings)],
  ['compared: the whole table, message → drawn', milliseconds(comparedDrawn)],
  ['compared: filtered by what became worse', milliseconds(comparedFiltered)],
  ['compared: a frame while scrolling', `${comparedFrame.toFixed(1)} ms`],
  ['compared: elements of the page', comparedNodes.toFixed(0)],
];
print(
  `The results of ${cases} cases × ${assertions} assertions, a record of ${megabytes(bytes)}`,
  result,
  [table(['what', `median of ${rounds}`], rows, ['what'])],
  aims(),
);

function aims(): Aim[] {
  return [
    most('opening', opened, MOST_OPENING, milliseconds),
    most('drawing the whole table', drawn, MOST_OPENING, milliseconds),
    most('sorting', sorted, MOST_ACT, milliseconds),
    most('filtering', filtered, MOST_ACT, milliseconds),
    most('a frame while scrolling', frame, MOST_FRAME, (value) => `${value.toFixed(1)} ms`),
    most('opening a comparison', comparedOpened, MOST_OPENING, milliseconds),
    most('drawing the whole comparison', comparedDrawn, MOST_OPENING, milliseconds),
    most('filtering a comparison', comparedFiltered, MOST_ACT, milliseconds),
    most('elements of a comparison', comparedNodes, MOST_NODES, (value) => value.toFixed(0)),
    most('elements of the page', nodes, MOST_NODES, (value) => value.toFixed(0)),
  ];
}

function most(what: string, value: number, limit: number, shown: (value: number) => string): Aim {
  return { aim: `${what}: at most ${shown(limit)}`, measured: shown(value), met: value <= limit };
}

function milliseconds(value: number): string {
  return `${value.toFixed(0)} ms`;
}
