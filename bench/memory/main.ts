import { thousands } from '../judge-cost/aims.ts';
import { type Aim, print, table } from '../print.ts';
import { fine, megabytes, seconds } from '../processes.ts';
import { FEW, MANY, type Row, runBench, TURNS } from './bench.ts';

const MOST_TIMES = 1.3;

/** Maximum growth of time compared with the number of conversations that still counts as linear. */
const STRAIGHT = 1.1;

const result = await runBench();
const head = ['command', ...[FEW, MANY].flatMap((count) => [thousands(count), 'peak']), '× peak'];
const rows = result.rows.map(({ command, few, many, times }) => [
  command,
  seconds(few.wall),
  megabytes(few.memory),
  seconds(many.wall),
  megabytes(many.memory),
  fine(times.memory),
]);
const title = `What many recorded conversations of ${TURNS} turns take`;
print(title, result, [table(head, rows, ['command'])], result.rows.flatMap(aimsOf));

function aimsOf({ command, subject, many, times }: Row): Aim[] {
  const { memory = Number.NaN } = many;
  const most = Math.round((MANY / FEW) * STRAIGHT);
  return [
    // Conversations in eval files are loaded with the files.
    ...(subject.place === 'inline'
      ? []
      : [
          {
            aim: `${command}: peak at ${thousands(MANY)} at most ${MOST_TIMES} × that at ${thousands(FEW)}`,
            measured: fine(times.memory),
            met: times.memory <= MOST_TIMES,
          },
        ]),
    {
      aim: `${command}: peak below ${megabytes(subject.mostBytes)}`,
      measured: megabytes(many.memory),
      met: memory < subject.mostBytes,
    },
    {
      aim: `${command}: time linear, at most ${most} × as long`,
      measured: fine(times.wall),
      met: times.wall <= most,
    },
  ];
}
