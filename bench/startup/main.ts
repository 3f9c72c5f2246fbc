import { type Aim, print, table } from '../print.ts';
import { fine, megabytes, seconds } from '../processes.ts';
import { type Row, runBench } from './bench.ts';

const MOST_TIMES = 1.3;

const result = await runBench();
const { times, memory } = result;
const rows = [...times.map((row) => line(row, seconds)), line(memory, megabytes)];
const head = ['what', 'Turnlight', 'beside', 'takes', '×'];
print('How soon it is there', result, [table(head, rows, ['what', 'beside'])], aims());

function line({ what, beside, ours, theirs, times }: Row, shown: (value: number) => string) {
  return [what, shown(ours), beside, shown(theirs), fine(times)];
}

function aims(): Aim[] {
  return [
    ...times.map(({ what, beside, times }) => ({
      aim: `${what}: at most ${MOST_TIMES} × ${beside}`,
      measured: fine(times),
      met: times <= MOST_TIMES,
    })),
    {
      aim: `${memory.what}: memory below that of ${memory.beside}`,
      measured: fine(memory.times),
      met: memory.times < 1,
    },
  ];
}
