import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startServer } from '../language/lspServer.ts';
import { type Subject as Server, turnlight, yamlLanguageServer } from '../language/subjects.ts';
import { type Result, say, today } from '../print.ts';
import { type Command, median, medians, node, sideBySide, TURNLIGHT, timed } from '../processes.ts';
import { LATENCY } from '../throughput/bench.ts';
import { startEndpoint } from '../throughput/endpoint.ts';
import { bareLoop, turnlight as run } from '../throughput/subjects.ts';

/** A measurement of ours and its reference, in milliseconds or bytes. */
export interface Row {
  readonly what: string;
  readonly beside: string;
  readonly ours: number;
  readonly theirs: number;
  /** The median of the ratios between runs in the same round. */
  readonly times: number;
}

export interface BenchResult extends Result {
  readonly times: readonly Row[];
  readonly memory: Row;
}

const ROUNDS = 15;
const MEMORY_ROUNDS = 9;

export async function runBench(): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-bench-'));
  const endpoint = await startEndpoint(LATENCY);
  try {
    await mkdir(join(folder, '.git'));
    const one = { conversations: 1, turns: 3, judged: 2, concurrency: 1 };
    const [ours, bare] = [
      await run.prepare(one, endpoint.baseUrl, folder),
      await bareLoop.prepare(one, endpoint.baseUrl, folder),
    ];
    say('Measuring the command line …');
    const times = [
      await rowOf('--version', 'node -e 0', [
        node([TURNLIGHT, '--version'], folder),
        node(['-e', '0'], folder),
      ]),
      await rowOf('a run of one case', bareLoop.name, [ours, bare]),
    ];
    say('Measuring the language server …');
    return { date: today(), times, memory: await memoryRow(folder), faults: [] };
  } finally {
    await endpoint.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function rowOf(
  what: string,
  beside: string,
  [ours, theirs]: readonly [Command, Command],
): Promise<Row> {
  const [own, other] = await inTurn(ROUNDS, [() => timed(ours), () => timed(theirs)]);
  return {
    what,
    beside,
    ours: medians(own).wall,
    theirs: medians(other).wall,
    times: sideBySide(
      own.map(({ wall }) => wall),
      other.map(({ wall }) => wall),
    ),
  };
}

/** Measures memory with no open files. */
async function memoryRow(folder: string): Promise<Row> {
  const root = pathToFileURL(folder).href;
  const theirs = yamlLanguageServer(`${root}/eval.schema.json`);
  const [own, other] = await inTurn(MEMORY_ROUNDS, [
    () => idleMemory(turnlight, root),
    () => idleMemory(theirs, root),
  ]);
  return {
    what: 'language server, idle',
    beside: theirs.name,
    ours: median(own),
    theirs: median(other),
    times: sideBySide(own, other),
  };
}

async function idleMemory(subject: Server, root: string): Promise<number> {
  const server = await startServer(subject, root);
  try {
    return await server.memory();
  } finally {
    await server.stop();
  }
}

/** The first round is a warm-up and doesn't count. */
async function inTurn<One>(
  rounds: number,
  [ours, theirs]: readonly [() => Promise<One>, () => Promise<One>],
): Promise<readonly [One[], One[]]> {
  const found: [One[], One[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    const pair = [await ours(), await theirs()] as const;
    if (round > 0) for (const index of [0, 1] as const) found[index].push(pair[index]);
  }
  return found;
}
