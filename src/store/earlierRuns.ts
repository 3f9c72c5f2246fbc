import { groupBy } from '../core/data/data.ts';
import { fitting } from '../core/data/listOf.ts';
import { LIMITS } from '../core/limits.ts';
import { absolutePath, mapRunPaths, rootOfRecord } from '../core/record/recordPaths.ts';
import { type RunLine, runLineSchema } from '../core/record/runRecord.ts';
import { realPathOf } from '../disk/realPath.ts';
import { recordsAt } from './append.ts';
import { isWithin, keptHomes } from './home.ts';
import { RecordReader } from './recordIndex.ts';
import { linesIn } from './recordLines.ts';
import { newestFirst, runIdOf } from './recordNames.ts';

/** A run that was begun before. Paths are absolute. */
export interface EarlierRun {
  /** With the files of all its records. */
  readonly run: RunLine;
  /** By their roots. */
  readonly records: ReadonlyMap<string, string>;
}

/** The runs of any of these eval files, the newest first. @param evalFiles absolute */
export async function* earlierRuns(evalFiles: readonly string[]): AsyncGenerator<EarlierRun> {
  const homes = evalFiles.map(keptHomes);
  const wanted = new Set(homes.map(({ path }) => path));
  const roots = [...new Set(homes.flatMap(({ kept }) => kept))];
  const records = newestFirst((await Promise.all(roots.map(recordsAt))).flat());
  for (const own of groupBy(records, runIdOf).values()) {
    const found = await runIn(own);
    if (found?.run.files.some(({ path }) => wanted.has(path))) yield found;
  }
}

/**
 * The last run that did not finish, unless one that finished since ran all of its files whole; that one where
 * none is left. What was judged again or merged is no run to continue.
 */
export async function lastRun(evalFiles: readonly string[]): Promise<EarlierRun | undefined> {
  let finished: EarlierRun | undefined;
  for await (const one of earlierRuns(evalFiles)) {
    if (one.run.judged_from !== undefined || one.run.merged_from) continue;
    if (!(await hasFinished(one))) return one;
    finished ??= one;
    if (one.run.files.every(({ cases }) => cases === undefined)) break;
  }
  return finished;
}

/**
 * Of one run, whose records these are. A record comes with a workspace that anyone may have written, so one
 * that names files outside of its root is not a record of ours.
 *
 * @param rootOf what the paths in a record start from
 */
export async function runIn(
  records: readonly string[],
  rootOf: (record: string) => string = rootOfRecord,
): Promise<EarlierRun | undefined> {
  const byRoot = new Map<string, string>();
  let run: RunLine | undefined;
  for (const record of records) {
    const root = rootOf(record);
    const line = byRoot.has(root) ? undefined : await runLineOf(record, root);
    if (!line || line.files.some((file) => !isWithin(realPathOf(root), realPathOf(file.path)))) {
      continue;
    }
    byRoot.set(root, record);
    run = run ? { ...run, files: [...run.files, ...line.files] } : line;
  }
  return run && { run, records: byRoot };
}

/** Whether it came to its end: it was neither killed nor cancelled, nor stopped by its limit of cost. */
export async function hasFinished({ records }: EarlierRun): Promise<boolean> {
  for (const record of records.values()) {
    const { end } = await new RecordReader(record).index();
    if (!end || end.cancelled || end.stopped) return false;
  }
  return true;
}

/** A run's line is its record's first; undefined where that is none. Paths are absolute. */
export async function runLineOf(record: string, root: string): Promise<RunLine | undefined> {
  try {
    for await (const { value } of linesIn(record, LIMITS.runLine)) {
      const line = fitting(runLineSchema, value);
      return line && mapRunPaths(line, (path) => absolutePath(root, path));
    }
  } catch {
    // It is gone, or no file of ours.
  }
  return undefined;
}
