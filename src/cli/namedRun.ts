import { resolve } from 'node:path';
import { isAtHome, rootOfRecord } from '../core/record/recordPaths.ts';
import { gitOutput } from '../disk/git.ts';
import { type EarlierRun, earlierRuns, runIn } from '../store/records/list.ts';
import { findEvalFiles, workspaceOf } from './evalFiles.ts';
import { UsageError } from './exitCode.ts';

/** The id of a run, or its record. */
export const RUN = /^[0-9a-f]{8}$|\.jsonl$/;

/** @param name as `RUN` @throws UsageError */
export async function namedRun(
  name: string,
  args: readonly string[],
  folder: string,
): Promise<EarlierRun> {
  if (name.endsWith('.jsonl')) {
    const record = resolve(folder, name);
    const found = await runIn([record], (path) => rootFor(path, folder));
    if (found) return found;
    throw new UsageError(
      `${name} is not the record of a run, or names files outside of the folder it belongs to.`,
    );
  }
  const files = await findEvalFiles(args, folder);
  for await (const one of earlierRuns(files)) if (one.run.id === name) return one;
  throw new UsageError(`No record of these files is of the run ${name}. See .turnlight/runs/.`);
}

/** What names a run for `chosenRun`. */
export const RUN_WORDS =
  'the id or record of a run, `last`, `previous`, or a commit or branch, which names its last run';

const ADVICE = 'Go to the folder of those that ran, or name the record of a run (*.jsonl).';

/** @param name as `RUN_WORDS` says @throws UsageError */
export async function chosenRun(name: string, folder: string): Promise<EarlierRun> {
  if (name.endsWith('.jsonl')) return namedRun(name, [], folder);
  const files = await findEvalFiles([], folder, ADVICE);
  if (name === 'last' || name === 'previous') return recentRun(name, files);
  for await (const one of earlierRuns(files)) if (one.run.id === name) return one;
  const commit = await commitNamed(name, folder);
  if (commit === undefined) {
    throw new UsageError(`"${name}" names no run. Expected ${RUN_WORDS}.`);
  }
  for await (const one of earlierRuns(files)) if (one.run.commit === commit) return one;
  const known = name === commit ? '' : ` (${name})`;
  throw new UsageError(
    `No run of these files is of the commit ${commit.slice(0, 12)}${known}. Run them there first.`,
  );
}

/** The last run, or the one before of which a file ran again in the last. @throws UsageError */
async function recentRun(name: 'last' | 'previous', files: string[]): Promise<EarlierRun> {
  const ran = new Set<string>();
  let passed = 0;
  for await (const one of earlierRuns(files)) {
    const paths = one.run.files.map(({ path }) => path);
    if (name === 'last' || paths.some((path) => ran.has(path))) return one;
    if (passed === 0) for (const path of paths) ran.add(path);
    passed += 1;
  }
  if (passed === 0) throw new UsageError('No run of these files is kept. Run them first.');
  const whose = passed === 1 ? 'these files' : 'the files of the last run';
  throw new UsageError(`Only one run of ${whose} is kept. Run them again.`);
}

/** Paths in a record that was taken elsewhere start at the root of the folder that it is read in. */
export function rootFor(record: string, folder: string): string {
  return isAtHome(record) ? rootOfRecord(record) : workspaceOf(folder);
}

/** Undefined where there is no such commit, no repository or no git. */
function commitNamed(name: string, folder: string): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  return gitOutput(args, folder);
}
