import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { caseName } from '../core/presentation/words.ts';
import type { Suite, SuiteCase } from '../core/suite.ts';
import { counted } from '../core/text/format.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { realPathOf } from '../disk/regularFile.ts';
import type { RunEvent } from '../runner/events.ts';
import { isWithin } from '../store/dataFolder.ts';
import { type EarlierRun, lastRun } from '../store/records/list.ts';
import { UsageError } from './exitCode.ts';
import type { RunCommandOptions } from './options.ts';
import { areEvalFiles, findEvalFiles, workspaceOf } from './paths.ts';
import { findEarlier, findRun, NO_RUNS, RUN_ID } from './runs.ts';
import { caseList } from './selection.ts';

export interface PriorRun {
  /** Absent if the files have no runs. */
  readonly earlier?: EarlierRun;
  readonly files: readonly string[];
  /** The given options, and defaults from the earlier run. */
  readonly options: RunCommandOptions;
  readonly select?: (suite: Suite, suiteCase: SuiteCase) => boolean;
}

/** Finds the run to resume. It keeps its files, cases, judge, and target. @throws UsageError */
export async function resume(
  args: readonly string[],
  options: RunCommandOptions,
  folder: string,
): Promise<PriorRun> {
  assertAlone(options);
  const { resume: value } = options;
  // The value of `--resume` may be a run, or the first file.
  const named = typeof value === 'string' && RUN_ID.test(value) ? value : undefined;
  const isFile = typeof value === 'string' && !named;
  if (isFile && !(await areEvalFiles(value, folder))) {
    throw new UsageError(
      `"${value}" is neither a run nor an eval file. Pass the id of a run, such as 1a2b3c4d, or its record in .turnlight/runs/. Without a value, --resume continues the last run.`,
    );
  }
  const files = isFile ? [value, ...args] : args;
  const earlier = named
    ? await findRun(named, files, folder)
    : await lastRun(await findEvalFiles(files, folder));
  if (!earlier) return { files, options };
  if (earlier.run.merged_from) {
    throw new UsageError(
      `Run ${earlier.run.id} is a merge of other runs. Resume one of those instead.`,
    );
  }
  if (earlier.run.judged_from !== undefined) {
    throw new UsageError(
      `Run ${earlier.run.id} judged run ${earlier.run.judged_from} again. Repeat it with turnlight judge instead.`,
    );
  }
  const chosen = new Map(
    earlier.run.files.map(({ path, cases }) => [path, cases && new Set(cases)]),
  );
  const prior = priorRun(earlier, options, folder, ['judge', 'target', 'base_url', 'replay']);
  assertQueueable(prior.options, earlier.run.id);
  return {
    ...prior,
    select: (suite, one) => chosen.get(suite.path)?.has(caseName(one)) ?? true,
  };
}

/** Finds the run whose conversations should be judged again. @throws UsageError */
export async function rejudge(options: RunCommandOptions, folder: string): Promise<PriorRun> {
  const { judgeAgain } = options;
  const earlier =
    typeof judgeAgain === 'string'
      ? await findRun(judgeAgain, [], folder)
      : await findEarlier(await findEvalFiles([], folder));
  if (!earlier) throw new UsageError(NO_RUNS);
  return priorRun(earlier, options, folder, ['judge', 'target', 'base_url']);
}

/** @param kept options to take from the earlier run unless they are given now @throws UsageError */
function priorRun(
  earlier: EarlierRun,
  options: RunCommandOptions,
  folder: string,
  kept: readonly (keyof typeof OPTION_KEYS)[],
): PriorRun & { readonly earlier: EarlierRun } {
  const { run } = earlier;
  const existing = run.files.filter(({ path }) => existsSync(path));
  if (existing.length === 0) {
    throw new UsageError(`The files of run ${run.id} no longer exist.`);
  }
  const given = kept.flatMap((key) => {
    const value = run.options[key];
    if (typeof value !== 'string' || options[OPTION_KEYS[key]] !== undefined) return [];
    if (key === 'replay') assertInWorkspace(value, run.id, folder);
    return [[OPTION_KEYS[key], value]];
  });
  const files = existing.map(({ path }) => path);
  return { earlier, files, options: { ...Object.fromEntries(given), ...options } };
}

/**
 * Checks that a recording is in the workspace: a record may name any path, even an endless device.
 *
 * @throws UsageError
 */
function assertInWorkspace(replay: string, run: string, folder: string): void {
  const path = realPathOf(resolve(folder, replay));
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  if (isFile && isWithin(realPathOf(workspaceOf(folder)), path)) return;
  throw new UsageError(
    `Run ${run} started with --replay ${visibleLine(replay)}, which is not a file in this workspace. If you trust it, pass it again with --replay.`,
  );
}

function assertAlone(options: RunCommandOptions): void {
  const { case: cases, tag, limit, shard, onlyFailed, onlyErrors, save } = options;
  if (cases || tag || limit !== undefined || shard || onlyFailed || onlyErrors) {
    throw new UsageError(
      '--resume runs the cases that the run selected when it started. Remove options that select cases, such as --case and --tag.',
    );
  }
  if (options.record !== undefined) {
    throw new UsageError(
      '--resume sends only the requests that are left, so a recording would lack the others. Remove --record.',
    );
  }
  if (!save) throw new UsageError('--resume continues a record. Remove --no-save.');
}

/** Checks options taken from the earlier run; on the command line, the parser refuses these combinations. */
function assertQueueable({ queue, replay, baseUrl, target }: RunCommandOptions, run: string): void {
  if (queue === undefined) return;
  const kept = Object.entries({ '--replay': replay, '--base-url': baseUrl, '--target': target });
  const [option] = kept.find(([, value]) => value !== undefined) ?? [];
  if (option === undefined) return;
  throw new UsageError(
    `Run ${run} started with ${option}, which the workers of a queue don't support. Resume it without --queue.`,
  );
}

const OPTION_KEYS = {
  judge: 'judge',
  target: 'target',
  base_url: 'baseUrl',
  replay: 'replay',
} as const;

type RunStarted = Extract<RunEvent, { kind: 'run-started' }>;

/** A report about the earlier run that a run resumes or judges again; undefined if there is none. */
export function priorRunText(event: RunStarted): string | undefined {
  const { run, cases, gone } = event;
  if (run.judged_from === undefined) return resumeText(event);
  return [
    `Judging ${counted(cases.length, 'conversation')} of run ${run.judged_from} again.`,
    ...goneText(gone),
  ].join(' ');
}

/** `Resuming run 1a2b3c4d: keeping the results of 40 of 50 cases. Edited since, so running again: refund, hours.` */
function resumeText({ run, cases, resumed }: RunStarted): string | undefined {
  if (!resumed) return undefined;
  const { reused, edited, gone } = resumed;
  if (reused === cases.length) {
    return [`Run ${run.id} is complete: nothing is left to run.`, ...goneText(gone)].join(' ');
  }
  return [
    `Resuming run ${run.id}: keeping the results of ${reused} of ${counted(cases.length, 'case')}.`,
    ...(edited.length > 0 ? [`Edited since then, so they run again: ${caseList(edited)}.`] : []),
    ...goneText(gone),
  ].join(' ');
}

function goneText(gone = 0): string[] {
  return gone > 0 ? [`No longer in the files: ${counted(gone, 'case')}.`] : [];
}
