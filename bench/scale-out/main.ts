import { WITHOUT_REDIS } from '../../test/support/redis.ts';
import { type Aim, print, ratio, say, table } from '../print.ts';
import { fine, median, seconds, sideBySide } from '../processes.ts';
import { AT_ONCE, CASES, LATENCY, type Measured, runBench, TURNS } from './bench.ts';

/** Required throughput by number of workers, relative to one worker. */
const AIMS: Readonly<Record<number, number>> = { 2: 1.9, 4: 3.6 };

if (WITHOUT_REDIS) say(`Not measured: ${WITHOUT_REDIS}.`);
else {
  const result = await runBench();
  const { measured } = result;
  const head = ['workers', 'seconds', 'least', 'most', 'cases a second', '× one worker'];
  const rows = measured.map(({ workers, times }, index) => [
    String(workers),
    seconds(median(times)),
    seconds(Math.min(...times)),
    seconds(Math.max(...times)),
    ((1_000 * CASES) / median(times)).toFixed(1),
    fine(timesOne(measured, index)),
  ]);
  const title = `Scale out: ${CASES} conversations of ${TURNS} replies, ${LATENCY} ms each, ${AT_ONCE} at once a worker`;
  const aims = measured.flatMap(({ workers }, index): Aim[] => {
    const wanted = AIMS[workers];
    if (wanted === undefined) return [];
    const times = timesOne(measured, index);
    const aim = `${workers} workers: at least ${ratio(wanted)} the throughput of one`;
    return [{ aim, measured: fine(times), met: times >= wanted }];
  });
  print(title, result, [table(head, rows, [])], aims);
}

/** The median throughput relative to one worker in the same round. */
function timesOne(measured: readonly Measured[], index: number): number {
  return sideBySide(measured[0]?.times ?? [], measured[index]?.times ?? []);
}
