import { basename, resolve } from 'node:path';
import type { ComparisonData } from '../analysis/comparisonData.ts';
import type { RunLine } from '../core/record/runRecord.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { gitOutput } from '../disk/git.ts';
import { isInDataFolder, rootOfRecord } from '../node/paths.ts';
import { type EarlierRun, earlierRuns, runIn } from '../store/records/list.ts';
import { readCases } from '../store/records/runRecord.ts';
import { UsageError } from './exitCode.ts';
import { RUN_NAMES } from './options.ts';
import { findEvalFiles, workspaceOf } from './paths.ts';
import type { Shell } from './shell.ts';

export const RUN_ID = /^[0-9a-f]{8}$|\.jsonl$/;

/** @param name matches `RUN_ID` @throws UsageError */
export async function findRun(
  name: string,
  args: readonly string[],
  folder: string,
): Promise<EarlierRun> {
  if (name.endsWith('.jsonl')) {
    const record = resolve(folder, name);
    const found = await runIn([record], (path) => rootFor(path, folder));
    if (found) return found;
    throw new UsageError(`${name} is not a run record, or it refers to files outside its folder.`);
  }
  const files = await findEvalFiles(args, folder);
  const found = await findEarlier(files, ({ id }) => id === name);
  if (found) return found;
  throw new UsageError(
    `These files have no record of run ${name}. Records are in .turnlight/runs/.`,
  );
}

export const NO_RUNS = 'These files have no runs. Run them first.';

const ADVICE = 'Change to the folder that contains the eval files, or pass a run record (*.jsonl).';

/** @param name one of the forms that `RUN_NAMES` describes @throws UsageError */
export async function findRunByName(name: string, folder: string): Promise<EarlierRun> {
  if (name.endsWith('.jsonl')) return findRun(name, [], folder);
  const files = await findEvalFiles([], folder, ADVICE);
  if (name === 'last' || name === 'previous') return recentRun(name, files);
  const named = await findEarlier(files, ({ id }) => id === name);
  if (named) return named;
  const git = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  const commit = await gitOutput(git, folder);
  if (commit === undefined) {
    throw new UsageError(`"${name}" is not a run. Expected ${RUN_NAMES}.`);
  }
  const isOfCommit = (run: RunLine) => run.commit === commit;
  const isWhole = (run: RunLine) => run.files.every(({ cases }) => cases === undefined);
  // A newer run of a few cases says nothing about the others.
  const found =
    (await findEarlier(files, (run) => isOfCommit(run) && isWhole(run))) ??
    (await findEarlier(files, isOfCommit));
  if (found) return found;
  const known = name === commit ? '' : ` (${name})`;
  throw new UsageError(
    `These files have no run at commit ${commit.slice(0, 12)}${known}. Run them at that commit first.`,
  );
}

/**
 * The last run, or the most recent earlier run that shares a file with it. If there is none, the most recent one whose
 * files include the same cases.
 *
 * @throws UsageError
 */
async function recentRun(name: 'last' | 'previous', files: string[]): Promise<EarlierRun> {
  let last: EarlierRun | undefined;
  let similar: EarlierRun | undefined;
  let passed = 0;
  for await (const one of earlierRuns(files)) {
    if (name === 'last') return one;
    if (last && haveSame(pathsOf, one, last)) return one;
    if (last && haveSame(pathsWithIncluded, one, last)) similar ??= one;
    last ??= one;
    passed += 1;
  }
  if (similar) return similar;
  if (passed === 0) throw new UsageError(NO_RUNS);
  const whose = passed === 1 ? 'these files' : 'the files of the last run';
  throw new UsageError(`There is only one run of ${whose}. Run them again to have two to compare.`);
}

function pathsOf({ run }: EarlierRun): string[] {
  return run.files.map(({ path }) => path);
}

function pathsWithIncluded({ run }: EarlierRun): string[] {
  return run.files.flatMap(({ path, includes = [] }) => [path, ...includes]);
}

function haveSame(
  paths: (run: EarlierRun) => string[],
  one: EarlierRun,
  other: EarlierRun,
): boolean {
  const known = new Set(paths(other));
  return paths(one).some((path) => known.has(path));
}

/** The root of the paths in a record. If the record was copied, it is the working folder's workspace. */
export function rootFor(record: string, folder: string): string {
  return isInDataFolder(record) ? rootOfRecord(record) : workspaceOf(folder);
}

export async function findEarlier(
  files: readonly string[],
  matches: (run: RunLine) => boolean = () => true,
): Promise<EarlierRun | undefined> {
  for await (const one of earlierRuns(files)) if (matches(one.run)) return one;
  return undefined;
}

/** Adds a run's cases to `data`. @returns whether cases may be missing @throws the signal's reason when aborted */
export async function addCases(
  { records }: EarlierRun,
  data: Pick<ComparisonData, 'add'>,
  shell: Shell,
  signal: AbortSignal,
): Promise<boolean> {
  let isDamaged = false;
  for (const [root, record] of records) {
    const { allProblems, damage } = await readCases(record, root, (line) => {
      signal.throwIfAborted();
      data.add(line);
    });
    for (const one of allProblems) shell.err.write(`${visibleLine(basename(record))}, ${one}\n`);
    isDamaged ||= allProblems.length > 0 || damage.length > 0;
  }
  return isDamaged;
}
