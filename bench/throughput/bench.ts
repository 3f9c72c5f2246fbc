import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { promptText } from '../judge-cost/countingServer.ts';
import { type Result, say, today } from '../print.ts';
import { median, medians, sideBySide, type Took, timed } from '../processes.ts';
import { type Asked, startEndpoint } from './endpoint.ts';
import { bareLoop, type Load, type Subject, turnlight } from './subjects.ts';

/** What one subject took for one load, the median of all rounds. */
export interface Row {
  readonly subject: string;
  readonly took: Took;
  /** Milliseconds from the first request to the last answer. */
  readonly span: number;
  /** The medians of the ratios to the bare loop of the same round. */
  readonly timesBare: { readonly wall: number; readonly span: number };
  readonly requests: number;
  readonly atOnce: number;
  readonly promptTokens: number;
}

export interface LoadResult extends Load {
  readonly rows: readonly Row[];
}

export interface BenchResult extends Result {
  readonly loads: readonly LoadResult[];
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

const ROUNDS = 9;

export async function runBench(): Promise<BenchResult> {
  const faults: string[] = [];
  const loads: LoadResult[] = [];
  for (const [conversations, concurrency] of LOADS) {
    say(`Running ${conversations} conversations, ${concurrency} at once …`);
    const load: Load = { conversations, concurrency, turns: TURNS, judged: JUDGED };
    loads.push({ ...load, rows: await rowsOf(load, [bareLoop, turnlight], faults) });
  }
  return { date: today(), loads, faults };
}

interface Once extends Asked {
  readonly took: Took;
}

/** All in turn, round by round: a busy moment hits all alike. The first round warms up and does not count. */
async function rowsOf(load: Load, subjects: readonly Subject[], faults: string[]): Promise<Row[]> {
  const rounds = subjects.map((): Once[] => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, subject] of subjects.entries()) {
      const once = await runOnce(subject, load);
      if (round > 0) rounds[index]?.push(once);
    }
  }
  const [bare = []] = rounds;
  return subjects.map(({ name }, index) => {
    const own = rounds[index] ?? [];
    const [first] = own;
    const bodies = first?.bodies ?? [];
    const requests = bodies.length;
    const least = load.conversations * (load.turns + load.judged);
    if (requests < least) faults.push(`${name} sent ${requests} requests, not ${least}.`);
    return {
      subject: name,
      took: medians(own.map(({ took }) => took)),
      span: median(own.map(({ span }) => span)) ?? Number.NaN,
      timesBare: {
        wall: sideBySide(
          own.map(({ took }) => took.wall),
          bare.map(({ took }) => took.wall),
        ),
        span: sideBySide(
          own.map(({ span }) => span),
          bare.map(({ span }) => span),
        ),
      },
      requests,
      atOnce: first?.atOnce ?? 0,
      promptTokens: bodies.reduce((sum, body) => sum + encode(promptText(body)).length, 0),
    };
  });
}

async function runOnce(subject: Subject, load: Load): Promise<Once> {
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
