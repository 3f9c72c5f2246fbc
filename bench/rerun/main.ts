import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Aim, print, ratio, say, table, today } from '../print.ts';
import { median } from '../processes.ts';
import { ASSERTIONS, CONVERSATIONS, startJudge, suiteText } from './suite.ts';

const ROUNDS = 9;

/** Milliseconds that the judge takes to answer. */
const JUDGE = 50;

/** Target time in milliseconds if nothing has changed. */
const AIM = 1_000;

const CLI = resolve(import.meta.dirname, '../../dist/cli.js');

const KINDS = {
  list: 'no run, only a list of the cases',
  kept: 'nothing changed',
  edited: 'one of eight assertions edited',
  first: 'first run',
  uncached: 'first run, --no-cache',
} as const;

type Kind = keyof typeof KINDS;

interface Took {
  readonly milliseconds: number;
  readonly requests: number;
}

const server = await startJudge(JUDGE);
const folder = await mkdtemp(join(tmpdir(), 'turnlight-rerun-'));
const suite = join(folder, 'suite.eval.yaml');
const measured: Record<Kind, Took[]> = { list: [], kept: [], edited: [], first: [], uncached: [] };
const faults: string[] = [];

async function timed(kind: Kind, cache: string, ...args: string[]): Promise<void> {
  const before = server.requests;
  const began = performance.now();
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: folder,
    env: { ...process.env, TURNLIGHT_CACHE_DIR: cache },
    stdio: 'ignore',
  });
  const code = await new Promise((done) => child.on('close', done));
  const milliseconds = performance.now() - began;
  measured[kind].push({ milliseconds, requests: server.requests - before });
  if (code !== 0) faults.push(`${KINDS[kind]} ended with ${code}`);
}

try {
  const run = ['run', '--concurrency', '20', '--no-save'];
  for (let round = 0; round < ROUNDS; round += 1) {
    say(`Round ${round + 1} of ${ROUNDS}`);
    const cache = await mkdtemp(join(tmpdir(), 'turnlight-rerun-cache-'));
    await writeFile(suite, suiteText(server.baseUrl, 0));
    await timed('uncached', cache, ...run, '--no-cache');
    await timed('first', cache, ...run);
    await timed('kept', cache, ...run);
    await timed('list', cache, 'list');
    await writeFile(suite, suiteText(server.baseUrl, 1));
    await timed('edited', cache, ...run);
    await rm(cache, { recursive: true });
  }
} finally {
  server.close();
  await rm(folder, { recursive: true });
}

function time(kind: Kind): number {
  return median(measured[kind].map(({ milliseconds }) => milliseconds));
}

/** The number of requests per round. If the rounds differ, returns the first count that deviates. */
function requests(kind: Kind): number {
  const [first = Number.NaN, ...rest] = measured[kind].map((one) => one.requests);
  return rest.find((one) => one !== first) ?? first;
}

function asked(kind: Kind, count: number): Aim {
  const found = requests(kind);
  return {
    aim: `${KINDS[kind]}: ${count} requests`,
    measured: String(found),
    met: found === count,
  };
}

const all = CONVERSATIONS * ASSERTIONS;
const rows = (Object.keys(KINDS) as Kind[]).map((kind) => [
  KINDS[kind],
  String(requests(kind)),
  `${Math.round(time(kind))} ms`,
  ratio(time(kind) / time('list')),
]);
print(
  `A second run of ${CONVERSATIONS} conversations × ${ASSERTIONS} assertions`,
  { date: today(), faults },
  [table(['run', 'requests', 'median', '× the list'], rows, ['run'])],
  [
    asked('first', all),
    asked('kept', 0),
    asked('edited', CONVERSATIONS),
    {
      aim: `${KINDS.kept}: less than a second`,
      measured: `${Math.round(time('kept'))} ms`,
      met: time('kept') < AIM,
    },
  ],
);
