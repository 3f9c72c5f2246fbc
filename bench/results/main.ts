import { parseArgs } from 'node:util';
import { type Aim, print, table } from '../print.ts';
import { fine, megabytes } from '../processes.ts';
import { PROMPTFOO } from '../promptfoo.ts';
import { type BenchResult, type Round, runBench } from './bench.ts';
import type { TheirRound } from './promptfooView.ts';

/** Maximum time from a click on a run to its rows, in milliseconds. */
const MOST_OPENING = 1_000;

/** Maximum time for a response that feels immediate, in milliseconds. */
const MOST_ACT = 200;

/** Milliseconds per frame at 60 frames per second, plus a tenth for the clock's precision. */
const MOST_FRAME = 18.4;

const MOST_NODES = 2_000;

/** Maximum time that typing in the editor waits for the extension, in milliseconds. */
const MOST_BLOCK = 100;

type Shown = (value: number) => string;

const milliseconds: Shown = (value) => `${value.toFixed(0)} ms`;
const tenths: Shown = (value) => `${value.toFixed(1)} ms`;
const whole: Shown = (value) => value.toFixed(0);

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    peers: { type: 'string', default: 'promptfoo' },
    json: { type: 'boolean' },
  },
});

const result = await runBench(Number(values.rounds), values.peers !== 'none');
const { cases, assertions, bytes, rounds, ours } = result;

const OWN: readonly (readonly [what: string, key: keyof Round, shown: Shown])[] = [
  ['opened: the first rows of what is read by then', 'opened', milliseconds],
  ['the whole record, read by the extension', 'read', milliseconds],
  ['the whole table, message → drawn', 'drawn', milliseconds],
  ['sorted by an assertion', 'sorted', milliseconds],
  ['filtered by status', 'filtered', milliseconds],
  ['a text looked for in all turns and reasons', 'searched', milliseconds],
  ['a frame while scrolling', 'frame', tenths],
  ['the same, 95th percentile', 'slowFrame', tenths],
  ['elements of the page', 'nodes', whole],
  ['what the page holds', 'page', megabytes],
  ['what the extension holds', 'heap', megabytes],
  ['compared with another run: the first rows', 'comparedOpened', milliseconds],
  ['compared: both records, read and compared by the extension', 'comparedRead', milliseconds],
  ['compared: the statistics of all assertions', 'findings', milliseconds],
  ['compared: the longest that the extension did one thing', 'comparedBlock', milliseconds],
  ['compared: the whole table, message → drawn', 'comparedDrawn', milliseconds],
  ['compared: filtered by what became worse', 'comparedFiltered', milliseconds],
  ['compared: a frame while scrolling', 'comparedFrame', tenths],
  ['compared: elements of the page', 'comparedNodes', whole],
];

type Beside = readonly [what: string, own: keyof Round, theirs: keyof TheirRound, shown: Shown];

const BESIDE: readonly Beside[] = [
  ['opened', 'opened', 'opened', milliseconds],
  ['filtered by status', 'filtered', 'filtered', milliseconds],
  ['a text looked for', 'searched', 'searched', milliseconds],
  ['a frame while scrolling', 'frame', 'frame', tenths],
  ['the same, 95th percentile', 'slowFrame', 'slowFrame', tenths],
  ['elements of the page', 'nodes', 'nodes', whole],
  ['what the page holds', 'page', 'page', megabytes],
  ['all cases in one table; theirs 1,000 on a page', 'drawn', 'mostDrawn', milliseconds],
  ['its frame while scrolling', 'frame', 'mostFrame', tenths],
  ['the same, 95th percentile', 'slowFrame', 'mostSlowFrame', tenths],
  ['its elements', 'nodes', 'mostNodes', whole],
  ['what the page holds then', 'page', 'mostPage', megabytes],
  ['compared with another run', 'comparedOpened', 'comparedOpened', milliseconds],
  ['its frame while scrolling', 'comparedFrame', 'comparedFrame', tenths],
  ['its elements', 'comparedNodes', 'comparedNodes', whole],
  ['the extension; their server', 'heap', 'held', megabytes],
];

const own = OWN.map(([what, key, shown]) => [what, shown(ours[key])]);
print(
  `The results of ${cases} cases × ${assertions} assertions, a record of ${megabytes(bytes)}`,
  result,
  [table(['what', `median of ${rounds}`], own, ['what']), beside(result)],
  aims(),
);

function beside({ theirs }: BenchResult): string {
  if ('missing' in theirs) return `NOT MEASURED beside promptfoo: ${theirs.missing}.\n`;
  const rows = BESIDE.map(([what, key, other, shown]) => [
    what,
    shown(ours[key]),
    shown(theirs.medians[other]),
    fine(theirs.times(other, key)),
  ]);
  const name = `promptfoo ${PROMPTFOO}`;
  return table(
    ['what', 'Turnlight', name, 'theirs ÷ ours'],
    [...rows, ['imported', '–', milliseconds(theirs.imported), '–']],
    ['what'],
  );
}

function aims(): Aim[] {
  return [
    most('opening', 'opened', MOST_OPENING, milliseconds),
    most('drawing the whole table', 'drawn', MOST_OPENING, milliseconds),
    most('sorting', 'sorted', MOST_ACT, milliseconds),
    most('filtering', 'filtered', MOST_ACT, milliseconds),
    most('a frame while scrolling', 'frame', MOST_FRAME, tenths),
    most('opening a comparison', 'comparedOpened', MOST_OPENING, milliseconds),
    most('drawing the whole comparison', 'comparedDrawn', MOST_OPENING, milliseconds),
    most('filtering a comparison', 'comparedFiltered', MOST_ACT, milliseconds),
    most('one thing while two runs are compared', 'comparedBlock', MOST_BLOCK, milliseconds),
    most('elements of a comparison', 'comparedNodes', MOST_NODES, whole),
    most('elements of the page', 'nodes', MOST_NODES, whole),
  ];
}

function most(what: string, key: keyof Round, limit: number, shown: Shown): Aim {
  const value = ours[key];
  return { aim: `${what}: at most ${shown(limit)}`, measured: shown(value), met: value <= limit };
}
