import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The command line as shipped. */
export const TURNLIGHT = resolve(import.meta.dirname, '../dist/cli.js');

/** What a process used from start to end. */
export interface Took {
  /** Wall-clock time in milliseconds. */
  readonly wall: number;
  /** CPU time in milliseconds, over all cores. Like `memory`, undefined without GNU time. */
  readonly cpu: number | undefined;
  /** Peak resident memory in bytes. */
  readonly memory: number | undefined;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Valid exit codes; defaults to 0 and 1. */
  readonly ends?: readonly number[];
}

export function node(args: readonly string[], folder: string): Command {
  return { program: process.execPath, args, folder };
}

/** Runs a process until it ends. @throws Error with its output if it ends with another code */
export async function timed({
  program,
  args,
  folder,
  env = {},
  ends = [0, 1],
}: Command): Promise<Took> {
  const report = join(tmpdir(), `turnlight-time-${process.pid}`);
  const timing = (await hasGnuTime()) ? [GNU_TIME, '-f', '%U %S %M', '-o', report] : [];
  const [first = program, ...rest] = [...timing, program, ...args];
  const cache = await mkdtemp(join(tmpdir(), 'turnlight-bench-cache-'));
  const began = performance.now();
  const child = spawn(first, rest, {
    cwd: folder,
    // An empty cache, so requests of earlier runs are sent again and the user's cache stays untouched.
    env: { ...process.env, TURNLIGHT_CACHE_DIR: cache, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => {
      said = `${said}${text}`.slice(-2_000);
    });
  }
  const code = await new Promise<number | null>((done, fail) =>
    child.on('close', done).on('error', fail),
  );
  const wall = performance.now() - began;
  await rm(cache, { recursive: true });
  if (code === null || !ends.includes(code))
    throw new Error(`${program} ended with ${code}: ${said}`);
  if (timing.length === 0) return { wall, cpu: undefined, memory: undefined };
  const last = (await readFile(report, 'utf8')).trim().split('\n').at(-1) ?? '';
  await rm(report);
  const [user = 0, system = 0, memory = 0] = last.split(' ').map(Number);
  return { wall, cpu: (user + system) * 1_000, memory: memory * 1_024 };
}

const GNU_TIME = '/usr/bin/time';

let known: Promise<boolean> | undefined;

function hasGnuTime(): Promise<boolean> {
  known ??= new Promise((done) => {
    const child = spawn(GNU_TIME, ['--version'], { stdio: 'ignore' });
    child.on('error', () => done(false)).on('close', (code) => done(code === 0));
  });
  return known;
}

/** The median of each key over several runs. */
export function medians(all: readonly Took[]): Took {
  const of = (key: keyof Took) => {
    const taken = all.flatMap((one) => one[key] ?? []);
    return taken.length === 0 ? undefined : median(taken);
  };
  return { wall: of('wall') ?? Number.NaN, cpu: of('cpu'), memory: of('memory') };
}

/** NaN if there are no values. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

export function seconds(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '–' : `${(milliseconds / 1_000).toFixed(2)} s`;
}

export function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? '–' : `${Math.round(bytes / 1_000_000)} MB`;
}

/** The median of the ratios between runs in the same round. */
export function sideBySide(
  ours: readonly (number | undefined)[],
  theirs: readonly (number | undefined)[],
): number {
  const ratios = ours.flatMap((one, index) => {
    const other = theirs[index];
    return one === undefined || other === undefined ? [] : [one / other];
  });
  return median(ratios);
}

export function fine(times: number): string {
  return Number.isFinite(times) ? `${times.toFixed(2)} ×` : '–';
}
