import type { Aim } from '../print.ts';
import { fine } from '../processes.ts';
import type { BenchResult, LoadResult, Row } from './bench.ts';
import { bareLoop, turnlight } from './subjects.ts';

const MOST_SPAN = 1.03;

/**
 * Maximum ratio of the whole process to the bare loop, by number of conversations. With more conversations, startup
 * matters less.
 */
const MOST_WALL: ReadonlyMap<number, number> = new Map([
  [100, 1.15],
  [1_000, 1.05],
]);

export function aimsOf({ loads }: BenchResult): Aim[] {
  return loads.flatMap(aimsOfLoad);
}

function aimsOfLoad({ conversations, concurrency, rows }: LoadResult): Aim[] {
  const ours = rows.find(({ subject }) => subject === turnlight.name);
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
    ...rows
      .filter(({ subject, rounds }) => subject !== bareLoop.name && rounds > 0)
      .filter((row) => row !== ours)
      .map((peer) => aheadOf(peer, ours, load)),
  ];
}

function aheadOf(peer: Row, ours: Row, load: string): Aim {
  const times = {
    process: peer.timesOurs.wall,
    'first request → last answer': peer.timesOurs.span,
    CPU: timesOf(peer.took.cpu, ours.took.cpu),
    memory: timesOf(peer.took.memory, ours.took.memory),
    'prompt tokens': timesOf(peer.promptTokens, ours.promptTokens),
  };
  return {
    aim: `${load}: ahead of ${peer.subject} in all`,
    measured: Object.entries(times)
      .map(([what, value]) => `${what} ${fine(value)}`)
      .join(', '),
    met: Object.values(times).every((value) => value > 1),
  };
}

function timesOf(theirs: number | undefined, ours: number | undefined): number {
  return theirs === undefined || ours === undefined ? Number.NaN : theirs / ours;
}
