import { print, ratio, table } from '../print.ts';
import { aimsOf, kilobytes, megabytes } from './aims.ts';
import { MEMORY_LINES, runBench } from './bench.ts';
import { DIAGNOSTICS } from './measure.ts';

const result = await runBench();
const { rival, files, memory } = result;
const times = table(
  ['lines', 'what', 'Turnlight', rival, '× faster', '× bare parse', 'answers'],
  files.flatMap(({ lines, bareParse, rows }) => [
    [String(lines), 'bare parse', milliseconds(bareParse), '', '', '', ''],
    ...rows.map(({ what, ours, theirs }) => [
      String(lines),
      what,
      milliseconds(ours?.time),
      milliseconds(theirs?.time),
      ours && theirs ? ratio(theirs.time / ours.time) : '',
      ours && what === DIAGNOSTICS ? ratio(ours.time / bareParse) : '',
      [ours, theirs].map((one) => (one ? kilobytes(one.size) : '–')).join(', '),
    ]),
  ]),
  ['what'],
);
const memories = table(
  [`files of ${MEMORY_LINES} lines open`, 'Turnlight', rival],
  memory.map((one) => [String(one.files), megabytes(one.ours), megabytes(one.theirs)]),
  [],
);
print('How fast the language server answers', result, [times, memories], aimsOf(result));

function milliseconds(value: number | undefined): string {
  if (value === undefined) return '–';
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}
