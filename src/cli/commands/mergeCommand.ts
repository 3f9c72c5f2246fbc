import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { glob } from 'tinyglobby';
import { groupBy, uniqueBy } from '../../core/data/data.ts';
import { counted } from '../../core/presentation/amounts.ts';
import { visibleLine, visibleText } from '../../core/presentation/visibleText.ts';
import { realPathOf } from '../../disk/realPath.ts';
import { type UnwritableError, unwritable } from '../../disk/unwritable.ts';
import { type MergedRun, mergeRuns } from '../../runner/merge.ts';
import { type FoundHome, findHomes, homesBelowOneRoot, isWithin } from '../../store/home.ts';
import { type RunRecord, readRecord } from '../../store/read.ts';
import { RunRecords } from '../../store/runRecords.ts';
import { EXIT, type ExitCode, exitCodeOf, UsageError } from '../exitCode.ts';
import type { RunCommandOptions } from '../options.ts';
import { workspaceOf } from '../paths.ts';
import { createReporters } from '../reporters.ts';
import { rootFor } from '../runs.ts';
import { caseList } from '../selection.ts';
import type { Shell } from '../shell.ts';

export type MergeOptions = Pick<RunCommandOptions, 'reporter' | 'output' | 'minPassRate' | 'save'>;

/** Merges the records of several runs into one, and reports it. @throws UsageError, UnwritableError */
export async function merge(
  args: readonly string[],
  options: MergeOptions,
  shell: Shell,
): Promise<ExitCode> {
  const paths = await recordsOf(args, shell.folder);
  const records = await Promise.all(paths.map((path) => readOne(path, shell.folder)));
  checkContents(records);
  const merged = mergeRuns(records);
  const { run, lines, end } = merged;
  const suites = new Set([
    ...run.files.map(({ path }) => path),
    ...lines.map(({ suite }) => suite),
  ]);
  const workspace = workspaceOf(shell.folder);
  const stray = [...suites].find((path) => !isWithin(realPathOf(workspace), realPathOf(path)));
  if (stray !== undefined) {
    throw new UsageError(
      `The records name ${visibleLine(stray)}, which is outside of ${workspace}. Run this command in the folder of the eval files.`,
    );
  }
  const homes = findHomes([...suites].map((path) => ({ path, workspace })));
  const reporters = await createReporters(options.reporter, options.output, shell, paths);
  const unwritten: UnwritableError[] = [];
  const written = options.save ? await writeRecords(merged, homes, shell) : [];
  reporters.event({
    kind: 'run-started',
    run,
    cases: lines,
    homes: homesBelowOneRoot(homes),
    records: written,
  });
  for (const text of notesOf(merged, records)) reporters.note(text);
  for (const line of lines)
    reporters.event({ kind: 'case-finished', ref: line, line, earlier: true });
  reporters.event({ kind: 'run-finished', end });
  unwritten.push(...(await reporters.finish()));
  for (const { message } of unwritten) shell.err.write(`${visibleText(message)}\n`);
  const code = exitCodeOf(end, unwritten.length > 0, options.minPassRate);
  const isComplete =
    lines.length > 0 &&
    merged.missingShards.count === 0 &&
    merged.unfinished.size === 0 &&
    records.every(({ problems }) => problems.length === 0);
  return code === EXIT.passed && !isComplete ? EXIT.errored : code;
}

/** The records that files, folders and globs name, each once. @throws UsageError */
async function recordsOf(args: readonly string[], folder: string): Promise<string[]> {
  const found = new Set<string>();
  for (const arg of args) {
    const path = resolve(folder, arg);
    const stats = statSync(path, { throwIfNoEntry: false });
    const pattern = stats?.isDirectory() ? '**/*.jsonl' : arg.replaceAll('\\', '/');
    const files = stats?.isFile()
      ? [path]
      : await glob(pattern, {
          cwd: stats ? path : folder,
          absolute: true,
          dot: true,
          followSymbolicLinks: false,
        });
    if (files.length === 0)
      throw new UsageError(`"${arg}" is not a run record, and contains none.`);
    for (const file of files) found.add(resolve(file));
  }
  return [...found].sort();
}

async function readOne(path: string, folder: string): Promise<RunRecord> {
  const record = await readRecord(path, rootFor(path, folder));
  if (!record.run) throw new UsageError(`${path} is not a run record.`);
  return record;
}

/** Checks that no path has two contents, whose cases would count as the same. @throws UsageError */
function checkContents(records: readonly RunRecord[]): void {
  const found = records.flatMap(({ path, run }) =>
    (run?.files ?? []).map((file) => ({ ...file, record: basename(path) })),
  );
  for (const [path, own] of groupBy(found, (file) => file.path)) {
    const [first, other] = uniqueBy(own, ({ hash }) => hash);
    if (!first || !other) continue;
    const name = visibleLine(basename(path));
    throw new UsageError(
      `${name} differs between ${visibleLine(first.record)} and ${visibleLine(other.record)}. Merge records of the same version, from the same folder.`,
    );
  }
}

/** @returns the paths of the merged records */
async function writeRecords(
  { run, lines, end }: MergedRun,
  homes: ReadonlyMap<string, FoundHome>,
  shell: Shell,
): Promise<readonly string[]> {
  const rootOf = (path: string) => homes.get(path)?.root ?? '';
  const byRoot = groupBy(run.files, ({ path }) => rootOf(path));
  const runs = new Map([...byRoot].map(([root, files]) => [root, { ...run, files }]));
  const records = await RunRecords.open(runs, homes, shell.scrubber);
  try {
    for (const line of lines) await records.append(line);
    await records.end(() => end);
  } catch (error) {
    throw unwritable('The merged record', records.paths[0], error);
  } finally {
    await records.close();
  }
  return records.paths;
}

function notesOf(
  { run, overlapping, missingShards, unfinished }: MergedRun,
  records: readonly RunRecord[],
): string[] {
  return [
    `Merging ${counted(records.length, 'record')} into run ${run.id}.`,
    ...(overlapping.length > 0
      ? [`In several records, of which the last result counts: ${caseList(overlapping)}.`]
      : []),
    ...missingShards.first.map((shard) => `Missing: the record of --shard ${shard}.`),
    ...(missingShards.count > missingShards.first.length
      ? [`Missing: the records of ${missingShards.count - missingShards.first.length} other parts.`]
      : []),
    ...[...unfinished].map(
      ([id, count]) => `Missing: ${counted(count, 'case')} that run ${id} did not finish.`,
    ),
    ...records.flatMap(({ path, problems }) => problems.map((one) => `${basename(path)}, ${one}`)),
  ];
}
