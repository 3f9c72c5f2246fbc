import { type Stats, statSync } from 'node:fs';
import { countCases, passRateOf, repeatedCases } from '../core/record/repetitions.ts';
import { mean, sumOfKnown } from '../core/scoring.ts';
import { type CaseGlance, glanceAt } from './caseGlance.ts';
import { linesIn } from './recordLines.ts';
import { newestFirst } from './recordNames.ts';
import type { ListedRun } from './runList.ts';

/** As many of the newest runs are told. */
export const TREND_RUNS = 50;

/** Bytes of records that are read for it. */
const MOST_BYTES = 400_000_000;

/** How the cases of an eval file came out in one run, the repetitions of each taken together. */
export interface TrendPoint {
  /** The eval file as the record names it: by its path from the root. */
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
  /** Mean of an execution, in milliseconds. */
  readonly latency: number | null;
}

export interface RunTrend {
  readonly run: ListedRun;
  /** Of each eval file. */
  readonly points: readonly TrendPoint[];
  /** Of all together. */
  readonly all: TrendPoint;
}

/** Reads how runs went, file by file. What did not change is not read again. */
export class RunTrends {
  readonly #known = new Map<
    string,
    { readonly stamp: string; readonly lines: readonly CaseGlance[] }
  >();

  /** @param runs in any order @returns the oldest first, of the newest of them */
  async of(runs: readonly ListedRun[]): Promise<RunTrend[]> {
    // Clocks are set back; the names of records tell which run is the newest.
    const byRecord = new Map(runs.map((run) => [run.records[0] ?? '', run]));
    const newest = newestFirst([...byRecord.keys()]).flatMap(
      (record) => byRecord.get(record) ?? [],
    );
    const trends: RunTrend[] = [];
    let bytes = 0;
    for (const run of newest.slice(0, TREND_RUNS)) {
      const sizes = run.records.map((record) => statOf(record)?.size ?? 0);
      bytes += sizes.reduce((sum, size) => sum + size, 0);
      if (bytes > MOST_BYTES && trends.length > 0) break;
      const lines = (await Promise.all(run.records.map((record) => this.#linesOf(record)))).flat();
      const suites = [...new Set(lines.map(({ suite }) => suite))].sort();
      const points = suites.map((suite) =>
        pointOf(
          suite,
          lines.filter((line) => line.suite === suite),
        ),
      );
      if (lines.length > 0) trends.push({ run, points, all: pointOf('', lines) });
    }
    return trends.reverse();
  }

  async #linesOf(record: string): Promise<readonly CaseGlance[]> {
    const found = statOf(record);
    const stamp = `${found?.ino} ${found?.mtimeMs} ${found?.size}`;
    const known = this.#known.get(record);
    if (known?.stamp === stamp) return known.lines;
    const lines: CaseGlance[] = [];
    try {
      for await (const { value } of linesIn(record, Number.POSITIVE_INFINITY)) {
        const line = glanceAt(value);
        if (line) lines.push(line);
      }
    } catch {
      // It is gone, or no file of ours: the run has no point.
    }
    this.#known.set(record, { stamp, lines });
    return lines;
  }
}

function statOf(record: string): Stats | undefined {
  return statSync(record, { throwIfNoEntry: false });
}

function pointOf(suite: string, lines: readonly CaseGlance[]): TrendPoint {
  const cases = repeatedCases(lines);
  const counts = countCases(lines);
  return {
    suite,
    executions: lines.length,
    cases: cases.length,
    errored: counts.error,
    passRate: passRateOf(counts),
    score: mean(cases.flatMap(({ score }) => score ?? [])) ?? null,
    cost: sumOfKnown(lines.map(({ cost }) => cost)),
    latency: mean(lines.map(({ duration }) => duration)) ?? null,
  };
}
