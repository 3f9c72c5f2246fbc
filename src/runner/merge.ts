import { randomBytes } from 'node:crypto';
import { groupBy, uniqueBy } from '../core/data/data.ts';
import { executionKey } from '../core/identity.ts';
import { countCases } from '../core/record/repetitions.ts';
import { type EndLine, RECORD_VERSION, type RunLine } from '../core/record/runRecord.ts';
import { type Usage, usageOf } from '../core/verdict.ts';
import type { CaseStats } from '../store/records/parseLine.ts';
import type { RunRecord } from '../store/records/runRecord.ts';

/** A case to merge, without its line. */
export type MergedCase = CaseStats & {
  readonly usage: Usage;
  /** Differs if its inputs or its target differ; absent in older records. */
  readonly inputs?: string | undefined;
};

/** A record to merge, with a run line. */
export interface MergedPart {
  readonly record: RunRecord;
  readonly cases: readonly MergedCase[];
}

/** The runs of several shards, combined into one run. */
export interface MergedRun {
  readonly run: RunLine;
  /** One case per execution, in the order of the records. */
  readonly cases: readonly MergedCase[];
  readonly end: EndLine;
  /** Executions that are in several records. The one that finished last counts. */
  readonly overlapping: readonly MergedCase[];
  /** Those of them whose inputs or targets differ between the records. */
  readonly contradictory: readonly MergedCase[];
  /** Shards without a record: how many, and the first one, such as `2/3`. */
  readonly missingShards: { readonly count: number; readonly first: readonly string[] };
  /** Commits of the runs; more than one if they tested different versions of the agent. */
  readonly commits: readonly string[];
  /** Options that differ between the runs and that determine what was tested, such as `target`. */
  readonly differing: readonly string[];
  /** Number of executions without a result, by run. */
  readonly unfinished: ReadonlyMap<string, number>;
}

export function mergeRuns(parts: readonly MergedPart[]): MergedRun {
  const runs = parts.flatMap(({ record }) => record.run ?? []);
  const all = parts.flatMap((part) => part.cases);
  const groups = [...groupBy(all, executionKey).values()];
  const contradictory = groups.filter(
    (own) => new Set(own.flatMap(({ inputs }) => inputs ?? [])).size > 1,
  );
  const cases = groups.map((own) => own.reduce((a, b) => (a.finished > b.finished ? a : b)));
  const ends = parts.flatMap(({ record }) => record.end ?? []);
  const shards = missingShards(runs);
  const commits = [...new Set(runs.flatMap(({ commit }) => commit ?? []))];
  const unfinished = unfinishedOf(parts);
  const differing = DECIDING.filter(
    (key) => uniqueBy(runs, ({ options }) => JSON.stringify(options[key] ?? null)).length > 1,
  );
  const isIncomplete =
    cases.length === 0 ||
    shards.count > 0 ||
    unfinished.size > 0 ||
    commits.length > 1 ||
    contradictory.length > 0 ||
    differing.length > 0 ||
    parts.some(({ record }) => record.end?.incomplete || record.allProblems.length > 0);
  return {
    run: mergedRun(runs),
    cases,
    end: {
      kind: 'end',
      finished:
        [...ends, ...cases]
          .map(({ finished }) => finished)
          .sort()
          .at(-1) ?? new Date().toISOString(),
      cancelled: ends.some(({ cancelled }) => cancelled),
      ...(ends.some(({ stopped }) => stopped) && { stopped: 'max-cost' as const }),
      ...(isIncomplete && { incomplete: true as const }),
      counts: countCases(cases),
      usage: usageOf(cases),
    },
    overlapping: groups.filter(({ length }) => length > 1).map(([first]) => first),
    contradictory: contradictory.map(([first]) => first),
    missingShards: shards,
    commits,
    differing,
    unfinished,
  };
}

function mergedRun(runs: readonly RunLine[]): RunLine {
  const commits = new Set(runs.map(({ commit }) => commit));
  const [commit] = commits.size === 1 ? commits : [];
  const all = runs.flatMap((one) => one.files);
  const files = uniqueBy(all, ({ path }) => path);
  return {
    kind: 'run',
    version: RECORD_VERSION,
    id: randomBytes(4).toString('hex'),
    started: runs.map(({ started }) => started).sort()[0] ?? '',
    // Without `cases`, because the shards together ran more cases than any single one.
    files: files.map(({ path, hash }) => {
      const own = all.filter((one) => one.path === path).flatMap(({ includes = [] }) => includes);
      return { path, hash, ...(own.length > 0 && { includes: [...new Set(own)] }) };
    }),
    planned: runs.reduce((sum, { planned = 0 }) => sum + planned, 0),
    merged_from: [...new Set(runs.map(({ id }) => id))],
    ...(commit !== undefined && { commit }),
    options: {},
    judges: [...new Set(runs.flatMap(({ judges }) => judges))],
  };
}

/** Maximum number of missing shards to list. */
const MAX_NAMED_SHARDS = 10;

/** Options that determine what is tested, and by which judge. */
const DECIDING = ['target', 'judge', 'base_url', 'replay'];

/** Options that determine which cases are divided into shards. */
const SELECTING = ['sharded_cases', 'case', 'tag', 'limit', 'only_failed', 'only_errors'];

/**
 * Shards without a record, such as `--shard 2/3`. Shards beyond the number of cases have no records. Shards from
 * different divisions don't complete each other.
 */
function missingShards(runs: readonly RunLine[]): MergedRun['missingShards'] {
  const shards = runs.flatMap(({ options }) => {
    const [, part, of] = /^(\d+)\/(\d+)$/.exec(String(options.shard)) ?? [];
    const division = JSON.stringify([of, SELECTING.map((key) => options[key] ?? null)]);
    const cases = options.sharded_cases;
    return of === undefined ? [] : [{ part: Number(part), of: Number(of), cases, division }];
  });
  const missing = { count: 0, first: [] as string[] };
  for (const own of groupBy(shards, ({ division }) => division).values()) {
    const [{ of, cases }] = own;
    const last = typeof cases === 'number' && cases > 0 ? Math.min(of, cases) : of;
    const there = new Set(own.map(({ part }) => part).filter((part) => part >= 1 && part <= last));
    missing.count += last - there.size;
    // A record may claim that there are very many shards.
    const wanted = Math.min(missing.count, MAX_NAMED_SHARDS);
    for (let part = 1; part <= last && missing.first.length < wanted; part += 1) {
      if (!there.has(part)) missing.first.push(`${part}/${of}`);
    }
  }
  return missing;
}

function unfinishedOf(parts: readonly MergedPart[]): Map<string, number> {
  const left = parts.flatMap(({ record: { run, end }, cases }): [string, number][] => {
    const done = new Set(cases.filter(({ isCanceled }) => !isCanceled).map(executionKey)).size;
    const known = run?.planned ?? (end ? done : done + 1);
    return run && known > done ? [[run.id, known - done]] : [];
  });
  return new Map(left);
}
