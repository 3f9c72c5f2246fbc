import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Result, say, today } from '../print.ts';
import { median, medians, seconds, sideBySide, type Took, timed } from '../processes.ts';
import { type Asked, startEndpoint } from './endpoint.ts';
import { installedPeers } from './peers/peers.ts';
import { type Prompts, promptsOf } from './prompts.ts';
import { bareLoop, type Load, type Subject, turnlight } from './subjects.ts';

/** The medians of the ratios to another subject in the same rounds. */
export interface Times {
  readonly wall: number;
  readonly span: number;
}

/** What one subject took for one load, the median of all rounds. */
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
  /** Tools that are not there, and why. */
  readonly skipped: readonly string[];
}

/** Milliseconds that the endpoint takes. */
export const LATENCY = 50;

const TURNS = 3;
const JUDGED = 2;

const LOADS: readonly (readonly [conversations: number, concurrency: number])[] = [
  [100, 20],
  [100, 64],
  [1_000, 20],
  [1_000, 64],
];

/** What is measured; all of it by default, by those that can take it. */
export interface Chosen {
  /** Of each load, with each subject that is not slow. */
  readonly rounds: number;
  readonly conversations?: number | undefined;
  readonly concurrency?: number | undefined;
  /** See `PEER_NAMES`. */
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

/** How many rounds of a load a subject has. */
function roundsOf({ slow }: Subject, { conversations }: Load, rounds: number): number {
  if (!slow) return rounds;
  return conversations > (slow.conversations ?? conversations) ? 0 : Math.min(rounds, slow.rounds);
}

/** Of the first round as well what was asked. */
type Rounds = { readonly runs: Once[]; prompts: Prompts };

/**
 * All in turn, round by round: a busy moment hits all alike. The first round of 100 conversations warms up those that
 * have all rounds, and does not count.
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
