import { sharedHost } from '../../test/support/host/shared.ts';
import { print, ratio, table } from '../print.ts';
import { median } from '../processes.ts';
import { runBench } from './bench.ts';

/** Maximum time until the window shows that a run was requested, in milliseconds. */
const MOST_WAIT = 500;

/** Maximum ratio of the editor's time to the command line's. */
const MOST_TIMES = 1.5;

const result = await runBench();
const { host, context } = await sharedHost(true);
await context.browser()?.close();
await host.stop();

const { cases, editor, commandLine, processors, starts } = result;
const sign = median(editor.map((one) => one.sign));
const times = median(editor.map(({ shown }, round) => shown / (commandLine[round] ?? Number.NaN)));
const rows = [
  ['command line, its whole process', milliseconds(median(commandLine))],
  ['editor, click → first sign', milliseconds(sign)],
  [
    'editor, click → all outcomes in the panel',
    milliseconds(median(editor.map((one) => one.shown))),
  ],
  ['editor : command line', ratio(times)],
  ['extension, activation', milliseconds(median(starts.map((one) => one.activation)))],
  [
    'first eval file opened → first diagnostic',
    milliseconds(median(starts.map((one) => one.diagnostics))),
  ],
];
print(
  `A run of ${cases} recorded cases in the editor, ${processors} processors`,
  result,
  [table(['what', `median of ${editor.length}`], rows, ['what'])],
  [
    {
      aim: `first sign within ${MOST_WAIT} ms of the click`,
      measured: milliseconds(sign),
      met: sign <= MOST_WAIT,
    },
    {
      aim: `at most ${MOST_TIMES} × as long as the command line`,
      measured: ratio(times),
      met: times <= MOST_TIMES,
    },
  ],
);

function milliseconds(value: number): string {
  return `${value.toFixed(0)} ms`;
}
