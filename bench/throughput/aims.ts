import type { Aim } from '../print.ts';
import { fine } from '../processes.ts';
import type { BenchResult, LoadResult } from './bench.ts';

const MOST_SPAN = 1.03;

/** Of the whole process, by conversations: the more there are, the less the start counts. */
const MOST_WALL: ReadonlyMap<number, number> = new Map([
  [100, 1.15],
  [1_000, 1.05],
]);

export function aimsOf({ loads }: BenchResult): Aim[] {
  return loads.flatMap(aimsOfLoad);
}

function aimsOfLoad({ conversations, concurrency, rows }: LoadResult): Aim[] {
  const ours = rows.find(({ subject }) => subject === 'Turnlight');
  const most = MOST_WALL.get(conversations) ?? Number.NaN;
  if (!ours) return [];
  const { wall, span } = ours.timesBare;
  const load = `${conversations} conversations, ${concurrency} at once`;
  return [
    {
      aim: `${load}: the whole process at most ${most} × the bare loop`,
      measured: fine(wall),
      met: wall <= most,
    },
    {
      aim: `${load}: first request → last answer at most ${MOST_SPAN} × the bare loop`,
      measured: fine(span),
      met: span <= MOST_SPAN,
    },
  ];
}
