import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { groupBy, uniqueBy } from '../../core/data/data.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { counted } from '../../core/text/format.ts';
import { visibleLine, visibleText } from '../../core/text/visibleText.ts';
import { toUnwritableError } from '../../disk/fileErrors.ts';
import { matchingFiles } from '../../disk/glob.ts';
import { realPathOf } from '../../disk/regularFile.ts';
import { digestOf, shortHash } from '../../node/hashes.ts';
import { type MergedCase, type MergedPart, type MergedRun, mergeRuns } from '../../runner/merge.ts';
import {
  type DataFolder,
  dataFoldersBelowOneRoot,
  findDataFolders,
  isWithin,
} from '../../store/dataFolder.ts';
import type { CaseStats } from '../../store/records/parseLine.ts';
import { incompleteNotes, readCases, regularStats } from '../../store/records/runRecord.ts';
import { RunWriter } from '../../store/records/write.ts';
import { type ExitCode, exitCodeOf, UsageError } from '../exitCode.ts';
import type { RunCommandOptions } from '../options.ts';
import { asUsageError, workspaceOf } from '../paths.ts';
import { createReporters } from '../reporters.ts';
import { rootFor } from '../runs.ts';
import { caseList } from '../selection.ts';
import type { Shell } from '../shell.ts';

type MergeOptions = Pick<RunCommandOptions, 'reporter' | 'output' | 'minPassRate' | 'save'>;

/** Merges the records of several runs into one, and reports the result. @throws UsageError, UnwritableError */
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
  const suites = new Set([
    ...run.files.map(({ path }) => path),
    ...cases.map(({ suite }) => suite),
  ]);
  const workspace = workspaceOf(shell.folder);
  const stray = [...suites].find((path) => !isWithin(realPathOf(workspace), realPathOf(path)));
  if (stray !== undefined) {
    throw new UsageError(
      `The records refer to ${visibleLine(stray)}, which is outside ${workspace}. Run this command in the folder of the eval files.`,
    );
  }
  const dataFolders = findDataFolders([...suites].map((path) => ({ path, workspace })));
  const reporters = await createReporters(options.reporter, options.output, shell, paths);
  const writer = options.save ? await openRecords(merged, dataFolders, shell) : undefined;
  reporters.event({
    kind: 'run-started',
    run,
    cases,
    dataFolders: dataFoldersBelowOneRoot(dataFolders),
    records: writer?.paths ?? [],
  });
  for (const text of notesOf(merged, parts)) reporters.note(text);
  const orUnwritable = (error: unknown) => {
    throw toUnwritableError('The merged record', writer?.paths[0], error);
  };
  try {
    for await (const line of linesOf(merged, parts)) {
      await writer?.append(line).catch(orUnwritable);
      reporters.event({ kind: 'case-finished', ref: line, line, earlier: true });
    }
    await writer?.end(() => end).catch(orUnwritable);
  } finally {
    await writer?.close();
  }
  reporters.event({ kind: 'run-finished', end });
  const unwritten = await reporters.finish();
  for (const { message } of unwritten) shell.err.write(`${visibleText(message)}\n`);
  return exitCodeOf(end, unwritten.length > 0, !end.incomplete, options.minPassRate);
}

/** @param args files, folders, or globs @returns absolute paths, sorted and without duplicates @throws UsageError */
async function recordsOf(args: readonly string[], folder: string): Promise<string[]> {
  const found = new Set<string>();
  for (const arg of args) {
    const path = resolve(folder, arg);
    const stats = statSync(path, { throwIfNoEntry: false });
    const pattern = stats?.isDirectory() ? '**/*.jsonl' : arg.replaceAll('\\', '/');
    const files = stats?.isFile()
      ? [path]
      : await matchingFiles([pattern], stats ? path : folder, true).catch(asUsageError);
    if (files.length === 0)
      throw new UsageError(`"${arg}" is not a run record, and contains none.`);
    for (const file of files) found.add(resolve(file));
  }
  return [...found].sort();
}

async function readPart(path: string, folder: string): Promise<MergedPart> {
  if (!(await regularStats(path))) {
    throw new UsageError(`${visibleLine(path)} is not a run record, but a link or a pipe.`);
  }
  const cases: MergedCase[] = [];
  const take = ({ usage, input_hash, target }: CaseLine, stats: CaseStats) => {
    const inputs = input_hash && shortHash(digestOf([input_hash, target?.filled_in]));
    cases.push({ ...stats, usage, inputs });
  };
  const record = await readCases(path, rootFor(path, folder), take);
  if (!record.run) throw new UsageError(`${path} is not a run record.`);
  return { record, cases };
}

/** Reads the lines of all records, with only a few in memory at a time. @throws UsageError if a record has changed */
async function* linesOf(
  { cases }: MergedRun,
  parts: readonly MergedPart[],
): AsyncGenerator<CaseLine> {
  const records = new Map(parts.map(({ record }) => [record.path, record]));
  const readers = new Map(
    [...groupBy(cases, ({ record }) => record)].map(([path, own]) => [
      path,
      records.get(path)?.each(own),
    ]),
  );
  for (const one of cases) {
    const { value } = (await readers.get(one.record)?.next()) ?? {};
    if (value?.place !== one) {
      throw new UsageError(`${one.record} has changed. Merge again after its run has finished.`);
    }
    yield value.line;
  }
}

/** Checks that all records are about the same version of each file. @throws UsageError */
function checkContents(parts: readonly MergedPart[]): void {
  const found = parts.flatMap(({ record: { path, run } }) =>
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

/** Creates a merged record at each root. @throws UnwritableError */
function openRecords(
  { run }: MergedRun,
  dataFolders: ReadonlyMap<string, DataFolder>,
  shell: Shell,
): Promise<RunWriter> {
  const rootOf = (path: string) => dataFolders.get(path)?.root ?? '';
  const byRoot = groupBy(run.files, ({ path }) => rootOf(path));
  const runs = new Map([...byRoot].map(([root, files]) => [root, { ...run, files }]));
  return RunWriter.open(runs, dataFolders, shell.scrubber);
}

function notesOf(
  { run, overlapping, contradictory, missingShards, commits, differing, unfinished }: MergedRun,
  parts: readonly MergedPart[],
): string[] {
  return [
    `Merging ${counted(parts.length, 'record')} into run ${run.id}.`,
    ...(overlapping.length > 0
      ? [
          `These cases are in several records, and the last result counts: ${caseList(overlapping)}.`,
        ]
      : []),
    ...(contradictory.length > 0
      ? [
          `The records have results of different agents or inputs for these cases, so the run is incomplete: ${caseList(contradictory)}. Merge records of the same version, from the same folder.`,
        ]
      : []),
    ...(commits.length > 1
      ? [
          `The runs are from different commits: ${commits.map((one) => visibleLine(one, 12)).join(', ')}. Merge runs from the same commit.`,
        ]
      : []),
    ...differing.map(
      (key) =>
        `The runs have different --${key.replace('_', '-')} options. Merge only runs with the same one.`,
    ),
    ...missingShards.first.map((shard) => `Missing: the record of --shard ${shard}.`),
    ...(missingShards.count > missingShards.first.length
      ? [
          `Missing: the records of ${missingShards.count - missingShards.first.length} other shards.`,
        ]
      : []),
    ...[...unfinished].map(
      ([id, count]) => `Missing: ${counted(count, 'case')} that run ${id} did not finish.`,
    ),
    ...parts.flatMap(({ record }) => incompleteNotes(record)),
    ...parts.flatMap(({ record: { path, allProblems } }) =>
      allProblems.map((one) => visibleLine(`${basename(path)}, ${one}`)),
    ),
  ];
}
