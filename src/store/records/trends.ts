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

/** Number of runs in the trends, the newest. */
export const TREND_RUNS = 50;

/** Bytes of records that are read for it. */
const MAX_BYTES = 400_000_000;

/** How the cases of an eval file came out in one run, the repetitions of each combined. */
export interface TrendPoint {
  /** The eval file: its path from the root of the record, with `/`. */
  readonly suite: string;
  readonly executions: number;
  /** Whatever their repetitions. */
  readonly cases: number;
  readonly errored: number;
  /** Of the cases that passed or failed; null if none did. */
  readonly passRate: number | null;
  /** Mean; null where none has one. */
  readonly score: number | null;
  /** Of all; null where it is not known. */
  readonly cost: number | null;
  /** Mean over the cases that ran, of the mean of their repetitions, in milliseconds. */
  readonly latency: number | null;
}

export interface RunTrend {
  readonly run: ListedRun;
  /** Of each eval file. */
  readonly points: readonly TrendPoint[];
  /** Of all together. */
  readonly all: TrendPoint;
}

/** What is kept of a run: its points, and while it is running, the reader of its records. */
interface KnownRun extends Omit<RunTrend, 'run'> {
  readonly stamp: string;
  readonly reader: RunReader | undefined;
}

/** Reads how runs went, file by file. What did not change is not read again. */
export class RunTrends {
  #known = new Map<string, KnownRun>();

  /** @param runs in any order @returns the newest of them, the oldest first */
  async of(runs: readonly ListedRun[]): Promise<RunTrend[]> {
    // Clocks are set back; the names of records say which run is the newest.
    const byRecord = new Map(runs.map((run) => [run.records[0] ?? '', run]));
    const newest = newestFirst([...byRecord.keys()]).flatMap(
      (record) => byRecord.get(record) ?? [],
    );
    const trends: RunTrend[] = [];
    const known = new Map<string, KnownRun>();
    let bytes = 0;
    for (const run of newest.slice(0, TREND_RUNS)) {
      const files = await Promise.all(run.records.map(regularStats));
      bytes += files.reduce((sum, file) => sum + (file?.size ?? 0), 0);
      if (bytes > MAX_BYTES && trends.length > 0) break;
      const stamp = files.map((file) => file && stampOf(file)).join();
      const { points, all } = await this.#read(run, stamp, known);
      if (all.executions > 0) trends.push({ run, points, all });
    }
    this.#known = known;
    return trends.reverse();
  }

  async #read(run: ListedRun, stamp: string, into: Map<string, KnownRun>): Promise<KnownRun> {
    const before = this.#known.get(run.id);
    if (before?.stamp === stamp) {
      into.set(run.id, before);
      return before;
    }
    const roots = new Map(run.records.map((path) => [path, rootOfRecord(path)]));
    const reader = before?.reader ?? new RunReader(roots);
    await reader.readNew();
    const cases = reader.records.flatMap((record) => record.cases);
    const suites = reader.records.flatMap(({ root, cases: own }) =>
      [...groupBy(own, ({ suite }) => suite)].map(([suite, executions]) => ({
        name: nameOf(suite, root),
        executions,
      })),
    );
    const known: KnownRun = {
      stamp,
      reader: run.state === 'running' ? reader : undefined,
      points: [...groupBy(suites, ({ name }) => name)]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, own]) =>
          pointOf(
            name,
            own.flatMap(({ executions }) => executions),
          ),
        ),
      all: pointOf('', cases),
    };
    into.set(run.id, known);
    return known;
  }
}

function nameOf(suite: string, root: string): string {
  return isWithin(root, suite) ? relative(root, suite).split(sep).join('/') : suite;
}

function pointOf(suite: string, executions: readonly CaseStats[]): TrendPoint {
  const cases = repeatedCases(executions);
  const counts = countCases(executions);
  return {
    suite,
    executions: executions.length,
    cases: cases.length,
    errored: counts.error,
    passRate: passRateOf(counts),
    score: mean(cases.flatMap(({ score }) => score ?? [])) ?? null,
    cost: sumOfKnown(executions.map(({ cost }) => cost)),
    latency: mean(durationsOf(executions)) ?? null,
  };
}

/** Mean duration of each case that ran. */
function durationsOf(executions: readonly CaseStats[]): number[] {
  const ran = executions.filter(({ status }) => status !== 'skipped');
  return [...groupBy(ran, caseKey).values()].flatMap(
    (own) => mean(own.map(({ duration }) => duration)) ?? [],
  );
}
