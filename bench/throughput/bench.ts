import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Result, say, today } from '../print.ts';
import { median, medians, seconds, sideBySide, type Took, timed } from '../processes.ts';
import { type Asked, startEndpoint } from './endpoint.ts';
import { installedPeers } from './peers/peers.ts';
import { type Prompts, promptsOf } from './prompts.ts';
import { bareLoop, type Load, type Subject, turnlight } from './subjects.ts';

/** Medians of the ratios to another subject in the same rounds. */
export interface Times {
  readonly wall: number;
  readonly span: number;
}

/** Measurements of one subject with one load: medians over all rounds. */
export interface Row extends Prompts {
  readonly subject: string;
  readonly rounds: number;
  readonly took: Took;
  /** Milliseconds from the first request to the last answer. */
  readonly span: number;
  readonly timesBare: Times;
  readonly timesOurs: Times;
  readonly requests: number;
  readonly atOnce: number;
}

export interface LoadResult extends Load {
  readonly rows: readonly Row[];
}

export interface BenchResult extends Result {
  readonly loads: readonly LoadResult[];
  /** Tools that are missing, each with the reason. */
  readonly skipped: readonly string[];
}

/** Milliseconds that the endpoint takes to answer. */
export const LATENCY = 50;

const TURNS = 3;
const JUDGED = 2;

const LOADS: readonly (readonly [conversations: number, concurrency: number])[] = [
  [100, 20],
  [100, 64],
  [1_000, 20],
  [1_000, 64],
];

/** What to measure. By default, every load, with all subjects that can handle it. */
export interface Chosen {
  /** Number of rounds per load, for each subject that isn't slow. */
  readonly rounds: number;
  readonly conversations?: number | undefined;
  readonly concurrency?: number | undefined;
  /** Names from `PEER_NAMES`. */
  readonly peers: readonly string[];
}

export async function runBench(chosen: Chosen): Promise<BenchResult> {
  const faults: string[] = [];
  const loads: LoadResult[] = [];
  const { subjects, skipped } = await installedPeers(chosen.peers);
  const all = [bareLoop, turnlight, ...subjects];
  for (const [conversations, concurrency] of LOADS) {
    if ((chosen.conversations ?? conversations) !== conversations) continue;
    if ((chosen.concurrency ?? concurrency) !== concurrency) continue;
    say(`Running ${conversations} conversations, ${concurrency} at once …`);
    const load: Load = { conversations, concurrency, turns: TURNS, judged: JUDGED };
    loads.push({ ...load, rows: await rowsOf(load, all, chosen.rounds, faults) });
  }
  return { date: today(), loads, skipped, faults };
}

interface Once extends Pick<Asked, 'span' | 'atOnce'> {
  readonly took: Took;
  readonly requests: number;
}

/** Number of rounds for a subject with a load. */
function roundsOf({ slow }: Subject, { conversations }: Load, rounds: number): number {
  if (!slow) return rounds;
  return conversations > (slow.conversations ?? conversations) ? 0 : Math.min(rounds, slow.rounds);
}

/** All runs of a subject, and the prompts of the first round. */
type Rounds = { readonly runs: Once[]; prompts: Prompts };

/**
 * Measures all subjects in turn, round by round, so a busy moment affects all of them alike. With 100 conversations, a
 * first round warms up the subjects that aren't slow, and doesn't count.
 */
async function rowsOf(
  load: Load,
  subjects: readonly Subject[],
  rounds: number,
  faults: string[],
): Promise<Row[]> {
  const measured = subjects.map((): Rounds => ({ runs: [], prompts: promptsOf([]) }));
  for (let round = load.conversations <= 100 ? 0 : 1; round <= rounds; round += 1) {
    for (const [index, subject] of subjects.entries()) {
      if (round > roundsOf(subject, load, rounds) || (round === 0 && subject.slow)) continue;
      const { requests, took, ...once } = await runOnce(subject, load);
      say(`  round ${round} of ${rounds}: ${subject.name}, ${seconds(took.wall)}`);
      const own = measured[index];
      if (round === 0 || !own) continue;
      if (round === 1) own.prompts = promptsOf(requests);
      own.runs.push({ ...once, took, requests: requests.length });
    }
  }
  const [bare = [], ours = []] = measured.map(({ runs }) => runs);
  const wanted = load.conversations * (load.turns + load.judged);
  return subjects.map(({ name }, index) => {
    const { runs, prompts } = measured[index] ?? { runs: [], prompts: promptsOf([]) };
    for (const { requests } of runs) {
      if (requests !== wanted) faults.push(`${name} sent ${requests} requests, not ${wanted}.`);
    }
    return {
      subject: name,
      rounds: runs.length,
      took: medians(runs.map(({ took }) => took)),
      span: median(runs.map(({ span }) => span)),
      timesBare: timesOf(runs, bare),
      timesOurs: timesOf(runs, ours),
      requests: median(runs.map(({ requests }) => requests)),
      atOnce: Math.max(0, ...runs.map(({ atOnce }) => atOnce)),
      ...prompts,
    };
  });
}

function timesOf(runs: readonly Once[], others: readonly Once[]): Times {
  const of = (value: (one: Once) => number) => sideBySide(runs.map(value), others.map(value));
  return { wall: of(({ took }) => took.wall), span: of(({ span }) => span) };
}

async function runOnce(subject: Subject, load: Load): Promise<Asked & { readonly took: Took }> {
  const endpoint = await startEndpoint(LATENCY);
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-bench-'));
  try {
    await mkdir(join(folder, '.git'));
    const took = await timed(await subject.prepare(load, endpoint.baseUrl, folder));
    return { took, ...endpoint.drain() };
  } finally {
    await endpoint.close();
    await rm(folder, { recursive: true, force: true });
  }
}
