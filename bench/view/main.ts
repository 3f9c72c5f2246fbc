import { type Aim, print, table } from '../print.ts';
import { MOST_NODES, MOST_TIME, type Row, runBench } from './bench.ts';

const result = await runBench();
const head = ['turns', 'painted after, ms', 'nodes'];
const lines = result.rows.map(({ turns, time, nodes }) => [
  turns.toLocaleString('en'),
  time.toFixed(0),
  nodes.toLocaleString('en'),
]);
print('How soon a conversation is shown', result, [table(head, lines, [])], aims(result.rows));

function aims(rows: readonly Row[]): Aim[] {
  const most = rows.at(-1);
  if (!most) return [];
  const { turns, time, nodes } = most;
  return [
    {
      aim: `${turns} turns: painted in less than ${MOST_TIME} ms`,
      measured: `${time.toFixed(0)} ms`,
      met: time < MOST_TIME,
    },
    {
      aim: `${turns} turns: fewer than ${MOST_NODES} nodes`,
      measured: String(nodes),
      met: nodes < MOST_NODES,
    },
  ];
}
