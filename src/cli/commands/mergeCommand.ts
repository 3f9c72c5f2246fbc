import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { glob } from 'tinyglobby';
import { groupBy, uniqueBy } from '../../core/data/data.ts';
import { counted } from '../../core/presentation/amounts.ts';
import { visibleLine, visibleText } from '../../core/presentation/visibleText.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { realPathOf } from '../../disk/realPath.ts';
import { type UnwritableError, unwritable } from '../../disk/unwritable.ts';
import { type MergedCase, type MergedPart, type MergedRun, mergeRuns } from '../../runner/merge.ts';
import { type FoundHome, findHomes, homesBelowOneRoot, isWithin } from '../../store/home.ts';
import type { CaseStats } from '../../store/records/parseLine.ts';
import { readCases } from '../../store/records/runRecord.ts';
import { RunWriter } from '../../store/records/write.ts';
import { workspaceOf } from '../evalFiles.ts';
import { EXIT, type ExitCode, exitCodeOf, UsageError } from '../exitCode.ts';
import { rootFor } from '../namedRun.ts';
import { createReporters } from '../reporters.ts';
import type { Shell } from '../shell.ts';
import { shortListOfCases } from '../shortList.ts';
import type { RunCommandOptions } from './runCommandOptions.ts';

export type MergeOptions = Pick<RunCommandOptions, 'reporter' | 'output' | 'minPassRate' | 'save'>;

/** Makes one run of several, with its record and reports. @throws UsageError, UnwritableError */
export async function merge(
  args: readonly string[],
  options: MergeOptions,
  shell: Shell,
): Promise<ExitCode> {
  const paths = await recordsOf(args, shell.folder);
  const parts: MergedPart[] = [];
  for (const path of paths) parts.push(await readPart(path, shell.folder));
  checkContents(parts);
  const merged = mergeRuns(parts);
  const { run, cases, end } = merged;
  const lines = () => linesOf(merged, parts);
  const suites = new Set([
    ...run.files.map(({ path }) => path),
    ...cases.map(({ suite }) => suite),
  ]);
  const workspace = workspaceOf(shell.folder);
  const stray = [...suites].find((path) => !isWithin(realPathOf(workspace), realPathOf(path)));
  if (stray !== undefined) {
    throw new UsageError(
      `The records name ${visibleLine(stray)}, which is outside of ${workspace}. Go to the folder of the eval files.`,
    );
  }
  const homes = findHomes([...suites].map((path) => ({ path, workspace })));
  const reporters = await createReporters(
    options.reporter ?? [{ name: 'terminal' }],
    options.output,
    shell,
    paths,
  );
  const unwritten: UnwritableError[] = [];
  const kept = options.save ? await keep(merged, lines(), homes, shell) : [];
  reporters.event({
    kind: 'run-started',
    run,
    cases,
    homes: homesBelowOneRoot(homes),
    records: kept,
  });
  for (const text of toldOf(merged, parts)) reporters.note(text);
  for await (const line of lines()) {
    reporters.event({ kind: 'case-finished', ref: line, line, earlier: true });
  }
  reporters.event({ kind: 'run-finished', end });
  unwritten.push(...(await reporters.finish()));
  for (const { message } of unwritten) shell.err.write(`${visibleText(message)}\n`);
  const code = exitCodeOf(end, unwritten.length > 0, options.minPassRate);
  const whole =
    cases.length > 0 &&
    merged.missingShards.count === 0 &&
    merged.unfinished.size === 0 &&
    parts.every(({ record }) => record.allProblems.length === 0);
  return code === EXIT.passed && !whole ? EXIT.errored : code;
}

/** The records that files, folders and globs name, each once. @throws UsageError */
async function recordsOf(args: readonly string[], folder: string): Promise<string[]> {
  const found = new Set<string>();
  for (const arg of args) {
    const path = resolve(folder, arg);
    const there = statSync(path, { throwIfNoEntry: false });
    const pattern = there?.isDirectory() ? '**/*.jsonl' : arg.replaceAll('\\', '/');
    const files = there?.isFile()
      ? [path]
      : await glob(pattern, {
          cwd: there ? path : folder,
          absolute: true,
          dot: true,
          followSymbolicLinks: false,
        });
    if (files.length === 0) throw new UsageError(`"${arg}" is no record of a run, and holds none.`);
    for (const file of files) found.add(resolve(file));
  }
  return [...found].sort();
}

async function readPart(path: string, folder: string): Promise<MergedPart> {
  const cases: MergedCase[] = [];
  const take = ({ usage }: CaseLine, stats: CaseStats) => cases.push({ ...stats, usage });
  const record = await readCases(path, rootFor(path, folder), take);
  if (!record.run) throw new UsageError(`${path} is not the record of a run.`);
  return { record, cases };
}

/** The merged lines one by one, so that only one is in memory. @throws UsageError if a record has changed */
async function* linesOf(
  { cases }: MergedRun,
  parts: readonly MergedPart[],
): AsyncGenerator<CaseLine> {
  const records = new Map(parts.map(({ record }) => [record.path, record]));
  for (const one of cases) {
    const line = (await records.get(one.record)?.lines([one]))?.get(one);
    if (!line) throw new UsageError(`${one.record} has changed. Merge again once its run is over.`);
    yield line;
  }
}

/** Cases of different files would count as one. @throws UsageError if one path has two contents */
function checkContents(parts: readonly MergedPart[]): void {
  const found = parts.flatMap(({ record: { path, run } }) =>
    (run?.files ?? []).map((file) => ({ ...file, record: basename(path) })),
  );
  for (const [path, own] of groupBy(found, (file) => file.path)) {
    const [first, other] = uniqueBy(own, ({ hash }) => hash);
    if (!first || !other) continue;
    const name = visibleLine(basename(path));
    throw new UsageError(
      `${name} is not the same file in ${visibleLine(first.record)} and in ${visibleLine(other.record)}. Merge records of one version, from one folder.`,
    );
  }
}

/** @returns the records that it was written to */
async function keep(
  { run, end }: MergedRun,
  lines: AsyncIterable<CaseLine>,
  homes: ReadonlyMap<string, FoundHome>,
  shell: Shell,
): Promise<readonly string[]> {
  const rootOf = (path: string) => homes.get(path)?.root ?? '';
  const byRoot = groupBy(run.files, ({ path }) => rootOf(path));
  const runs = new Map([...byRoot].map(([root, files]) => [root, { ...run, files }]));
  const records = await RunWriter.open(runs, homes, shell.scrubber);
  try {
    for await (const line of lines) await records.append(line);
    await records.end(() => end);
  } catch (error) {
    throw unwritable('The merged record', records.paths[0], error);
  } finally {
    await records.close();
  }
  return records.paths;
}

function toldOf(
  { run, overlapping, missingShards, unfinished }: MergedRun,
  parts: readonly MergedPart[],
): string[] {
  return [
    `Merging ${counted(parts.length, 'record')} into the run ${run.id}.`,
    ...(overlapping.length > 0
      ? [`In several records, so that the last result counts: ${shortListOfCases(overlapping)}.`]
      : []),
    ...missingShards.first.map((shard) => `Missing: the record of --shard ${shard}.`),
    ...(missingShards.count > missingShards.first.length
      ? [`Missing: the records of ${missingShards.count - missingShards.first.length} other parts.`]
      : []),
    ...[...unfinished].map(
      ([id, count]) => `Missing: ${counted(count, 'case')} that the run ${id} did not finish.`,
    ),
    ...parts.flatMap(({ record: { path, allProblems } }) =>
      allProblems.map((one) => `${basename(path)}, ${one}`),
    ),
  ];
}
