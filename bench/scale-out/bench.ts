import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownFolders } from '../../test/support/answersFolder.ts';
import { startRedis, type TestRedis } from '../../test/support/redis.ts';
import { type Result, say, today } from '../print.ts';
import { TURNLIGHT } from '../processes.ts';
import { type Endpoint, startEndpoint } from './endpoint.ts';

export const CASES = 64;
export const TURNS = 3;
/** Milliseconds that the endpoint takes to answer. */
export const LATENCY = 300;
/** Number of concurrent cases per worker. */
export const AT_ONCE = 4;

const WORKERS = [1, 2, 4];
const ROUNDS = 9;

export interface Measured {
  readonly workers: number;
  /** Milliseconds from the first request to the last answer, for each round. */
  readonly times: readonly number[];
}

export interface BenchResult extends Result {
  readonly measured: readonly Measured[];
}

/** Measures one run per number of workers in each round. */
export async function runBench(): Promise<BenchResult> {
  const endpoint = await startEndpoint(LATENCY);
  const redis = await startRedis();
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-scale-out-'));
  const faults: string[] = [];
  const times = new Map(WORKERS.map((workers) => [workers, [] as number[]]));
  try {
    await writeFile(join(folder, 'suite.eval.yaml'), evalFile(endpoint.baseUrl));
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const workers of WORKERS) {
        say(`round ${round} of ${ROUNDS}, ${workers} at work`);
        times.get(workers)?.push(await measure(workers, folder, redis, endpoint, faults));
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
    await redis.stop();
    await endpoint.close();
  }
  const measured = WORKERS.map((workers) => ({ workers, times: times.get(workers) ?? [] }));
  return { date: today(), faults, measured };
}

async function measure(
  workers: number,
  folder: string,
  { url }: TestRedis,
  endpoint: Endpoint,
  faults: string[],
): Promise<number> {
  endpoint.begin();
  const args = ['worker', '--queue', url, '--concurrency', String(AT_ONCE)];
  const working = Array.from({ length: workers }, () => start(folder, args));
  await Promise.all(working.map(({ serves }) => serves));
  const run = start(folder, ['run', '--queue', url, '--no-save', '--no-cache']);
  const code = await run.ended;
  for (const { interrupt } of working) interrupt();
  await Promise.all(working.map(({ ended }) => ended));
  const { requests, time } = endpoint.seen();
  if (code !== 0 || requests !== CASES * TURNS) {
    faults.push(`${workers} workers: exit code ${code}, ${requests} requests`);
  }
  return time;
}

interface Process {
  readonly ended: Promise<number | null>;
  /** Resolves when the worker is ready for runs. */
  readonly serves: Promise<void>;
  interrupt(): void;
}

function start(cwd: string, args: readonly string[]): Process {
  const env = ownFolders({ ...process.env, OPENAI_API_KEY: 'no-key-at-all' });
  const child = spawn(process.execPath, [TURNLIGHT, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  return {
    ended: new Promise((done) => child.on('close', done)),
    serves: new Promise((done) => {
      child.stderr.setEncoding('utf8').on('data', (more: string) => {
        text += more;
        if (text.includes('Serving')) done();
      });
    }),
    interrupt: () => void child.kill('SIGINT'),
  };
}

function evalFile(baseUrl: string): string {
  const turns = Array.from({ length: TURNS }, (_, index) => `Question ${index}`).join(', ');
  const cases = Array.from(
    { length: CASES },
    (_, index) =>
      `  - { id: c${index}, turns: [${turns}], assert: [{ type: contains, value: Fine }] }\n`,
  );
  return `models:
  m: { provider: openai, model: m, base_url: "${baseUrl}" }
targets:
  bot: { type: chat, model: m }
target: bot
cases:
${cases.join('')}`;
}
