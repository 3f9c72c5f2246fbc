import { relative, sep } from 'node:path';
import { groupBy } from '../../core/data/data.ts';
import { caseKey } from '../../core/identity.ts';
import { countCases, passRateOf, repeatedCases } from '../../core/record/repetitions.ts';
import { mean, sumOfKnown } from '../../core/scoring.ts';
import { rootOfRecord } from '../../node/paths.ts';
import { isWithin } from '../dataFolder.ts';
import { newestFirst } from './files.ts';
import type { ListedRun } from './list.ts';
import type { CaseStats } from './parseLine.ts';
import { RunReader, regularStats, stampOf } from './runRecord.ts';

/** Maximum number of runs; the newest ones are used. */
export const TREND_RUNS = 50;

/** Maximum bytes of records to read. */
const MAX_BYTES = 400_000_000;

/** The results of an eval file's cases in one run, with repetitions combined. */
export interface TrendPoint {
  /** The eval file's path relative to the record's root, with `/`. */
  readonly suite: string;
  /** Number of conversations, counting all repetitions; skipped cases have none. */
  readonly conversations: number;
  readonly cases: number;
  readonly errored: number;
  /** Null if no case passed or failed. */
  readonly passRate: number | null;
  /** Mean score; null if no case has a score. */
  readonly score: number | null;
  /** Null if unknown. */
  readonly cost: number | null;
  /** Mean duration of the cases that ran, averaged over their repetitions, in milliseconds. */
  readonly latency: number | null;
}

export interface RunTrend {
  readonly run: ListedRun;
  /** One point per eval file. */
  readonly points: readonly TrendPoint[];
  /** A point for all eval files together. */
  readonly all: TrendPoint;
}

interface KnownRun extends Omit<RunTrend, 'run'> {
  readonly stamp: string;
  /** Kept as long as the run is active. */
  readonly reader: RunReader | undefined;
}

/** Reads runs' results by eval file. Records that haven't changed are not read again. */
export class RunTrends {
  #known = new Map<string, KnownRun>();

  /** @param runs runs in any order @returns the newest ones, in the order in which they started */
  async of(runs: readonly ListedRun[]): Promise<RunTrend[]> {
    // Clocks may be set back, but record names are always in order.
    const byRecord = new Map(runs.map((run) => [run.records[0] ?? '', run]));
    const order = newestFirst([...byRecord.keys()]);
    const newest = order.flatMap((record) => byRecord.get(record) ?? []);
    const trends: RunTrend[] = [];
    const known = new Map<string, KnownRun>();
    let bytes = 0;
    for (const run of newest.slice(0, TREND_RUNS)) {
      const files = await Promise.all(run.records.map(regularStats));
      bytes += files.reduce((sum, file) => sum + (file?.size ?? 0), 0);
      if (bytes > MAX_BYTES && trends.length > 0) break;
      const stamp = files.map((file) => file && stampOf(file)).join();
      const before = this.#known.get(run.id);
      const read = before?.stamp === stamp ? before : await readTrend(run, stamp, before?.reader);
      known.set(run.id, read);
      const { points, all } = read;
      if (all.cases > 0) trends.push({ run, points, all });
    }
    this.#known = known;
    return trends.reverse();
  }
}

async function readTrend(
  run: ListedRun,
  stamp: string,
  reader = new RunReader(new Map(run.records.map((path) => [path, rootOfRecord(path)]))),
): Promise<KnownRun> {
  await reader.readNew();
  const named = reader.records.flatMap(({ root, cases }) =>
    cases.map((one) => ({ one, name: nameOf(one.suite, root) })),
  );
  const byName = [...groupBy(named, ({ name }) => name)].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    stamp,
    reader: run.state === 'running' ? reader : undefined,
    points: byName.map(([name, own]) =>
      pointOf(
        name,
        own.map(({ one }) => one),
      ),
    ),
    all: pointOf(
      '',
      named.map(({ one }) => one),
    ),
  };
}

function nameOf(suite: string, root: string): string {
  return isWithin(root, suite) ? relative(root, suite).split(sep).join('/') : suite;
}

function pointOf(suite: string, executions: readonly CaseStats[]): TrendPoint {
  const cases = repeatedCases(executions);
  const counts = countCases(executions);
  const ran = executions.filter(({ status }) => status !== 'skipped');
  return {
    suite,
    conversations: ran.length,
    cases: cases.length,
    errored: counts.error,
    passRate: passRateOf(counts),
    score: mean(cases.flatMap(({ score }) => score ?? [])) ?? null,
    cost: sumOfKnown(executions.map(({ cost }) => cost)),
    latency: mean(durationsOf(ran)) ?? null,
  };
}

/** The mean duration of each case. */
function durationsOf(ran: readonly CaseStats[]): number[] {
  return [...groupBy(ran, caseKey).values()].flatMap(
    (own) => mean(own.map(({ duration }) => duration)) ?? [],
  );
}
