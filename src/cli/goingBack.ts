import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { counted } from '../core/presentation/amounts.ts';
import { caseName } from '../core/presentation/executionTitle.ts';
import { visibleLine } from '../core/presentation/visibleText.ts';
import type { Suite, SuiteCase } from '../core/suite.ts';
import { realPathOf } from '../disk/realPath.ts';
import type { RunEvent } from '../runner/events.ts';
import { isWithin } from '../store/home.ts';
import { type EarlierRun, earlierRuns, lastRun } from '../store/records/list.ts';
import type { RunCommandOptions } from './commands/runCommandOptions.ts';
import { areEvalFiles, findEvalFiles, workspaceOf } from './evalFiles.ts';
import { UsageError } from './exitCode.ts';
import { namedRun, RUN } from './namedRun.ts';
import { shortListOfCases } from './shortList.ts';

/** A command that goes back to a run. */
export interface GoingBack {
  /** Absent where no run of the files is kept. */
  readonly earlier?: EarlierRun;
  /** The files to read. */
  readonly files: readonly string[];
  /** With what the run was given then, where it is not given now. */
  readonly options: RunCommandOptions;
  readonly select?: (suite: Suite, suiteCase: SuiteCase) => boolean;
}

/** Finds the run that goes on. Its files, its cases and its judge are those of then. @throws UsageError */
export async function resuming(
  args: readonly string[],
  options: RunCommandOptions,
  folder: string,
): Promise<GoingBack> {
  assertAlone(options);
  const { resume } = options;
  // It stands before a run, or before the first of the files.
  const named = typeof resume === 'string' && RUN.test(resume) ? resume : undefined;
  const isFile = typeof resume === 'string' && !named;
  if (isFile && !(await areEvalFiles(resume, folder))) {
    throw new UsageError(
      `"${resume}" is neither a run nor an eval file. Name a run by its id, such as 1a2b3c4d, or by its record in .turnlight/runs/; without a name --resume continues the last one.`,
    );
  }
  const files = isFile ? [resume, ...args] : args;
  const earlier = named
    ? await namedRun(named, files, folder)
    : await lastRun(await findEvalFiles(files, folder));
  if (!earlier) return { files, options };
  if (earlier.run.merged_from) {
    throw new UsageError(`The run ${earlier.run.id} was merged of others. Resume one of those.`);
  }
  if (earlier.run.judged_from !== undefined) {
    throw new UsageError(
      `The run ${earlier.run.id} judged the run ${earlier.run.judged_from} again. Repeat it with turnlight judge.`,
    );
  }
  const chosen = new Map(
    earlier.run.files.map(({ path, cases }) => [path, cases && new Set(cases)]),
  );
  const again = goingBack(earlier, options, folder, ['judge', 'base_url', 'replay']);
  assertQueueable(again.options, earlier.run.id);
  return {
    ...again,
    select: (suite, one) => chosen.get(suite.path)?.has(caseName(one)) ?? true,
  };
}

/** Finds the run whose conversations are judged. @throws UsageError */
export async function judgingAgain(options: RunCommandOptions, folder: string): Promise<GoingBack> {
  const { judgeAgain } = options;
  const earlier =
    typeof judgeAgain === 'string'
      ? await namedRun(judgeAgain, [], folder)
      : await newest(await findEvalFiles([], folder));
  if (!earlier) throw new UsageError('No run of these files is kept. Run them first.');
  return goingBack(earlier, options, folder, ['judge', 'base_url']);
}

async function newest(files: readonly string[]): Promise<EarlierRun | undefined> {
  for await (const one of earlierRuns(files)) return one;
  return undefined;
}

/** @param kept what the run was given then that holds where it is not given now */
function goingBack(
  earlier: EarlierRun,
  options: RunCommandOptions,
  folder: string,
  kept: readonly (keyof typeof GIVEN)[],
): GoingBack & { readonly earlier: EarlierRun } {
  const { run } = earlier;
  const there = run.files.filter(({ path }) => existsSync(path));
  if (there.length === 0) throw new UsageError(`The files of the run ${run.id} are gone.`);
  const given = kept.flatMap((key) => {
    const value = run.options[key];
    if (typeof value !== 'string' || options[GIVEN[key]] !== undefined) return [];
    if (key === 'replay') assertInWorkspace(value, run.id, folder);
    return [[GIVEN[key], value]];
  });
  const files = there.map(({ path }) => path);
  return { earlier, files, options: { ...Object.fromEntries(given), ...options } };
}

/** A record may name any path, also a device that never ends. @throws UsageError */
function assertInWorkspace(replay: string, run: string, folder: string): void {
  const path = realPathOf(resolve(folder, replay));
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  if (isFile && isWithin(realPathOf(workspaceOf(folder)), path)) return;
  throw new UsageError(
    `The run ${run} began with --replay ${visibleLine(replay)}, which is not a file in this workspace. If you trust it, name it again with --replay.`,
  );
}

function assertAlone(options: RunCommandOptions): void {
  const { case: cases, tag, limit, shard, onlyFailed, onlyErrors, save } = options;
  if (cases || tag || limit !== undefined || shard || onlyFailed || onlyErrors) {
    throw new UsageError(
      '--resume runs the cases that the run chose when it began. Leave out what chooses others, such as --case and --tag.',
    );
  }
  if (!save) throw new UsageError('--resume continues a record. Leave out --no-save.');
}

/** Next to each other on the command line, the options themselves are refused. */
function assertQueueable({ queue, replay, baseUrl }: RunCommandOptions, run: string): void {
  if (queue === undefined) return;
  const kept = replay === undefined ? baseUrl && '--base-url' : '--replay';
  if (!kept) return;
  throw new UsageError(
    `The run ${run} began with ${kept}, which the workers of a queue do not take. Resume it without --queue.`,
  );
}

const GIVEN = { judge: 'judge', base_url: 'baseUrl', replay: 'replay' } as const;

type Started = Extract<RunEvent, { kind: 'run-started' }>;

/** What is told where a run goes back to an earlier one. */
export function goingBackText(event: Started): string | undefined {
  const { run, cases, gone } = event;
  if (run.judged_from === undefined) return resumedText(event);
  return [
    `Judging ${counted(cases.length, 'conversation')} of the run ${run.judged_from} again.`,
    ...goneText(gone),
  ].join(' ');
}

/** `Resuming the run 1a2b3c4d: 40 of 50 stand. Edited since, so run anew: refund, hours.` */
function resumedText({ run, cases, resumed }: Started): string | undefined {
  if (!resumed) return undefined;
  const { standing, edited, gone } = resumed;
  if (standing === cases.length) {
    return [`The run ${run.id} is complete: nothing is left to run.`, ...goneText(gone)].join(' ');
  }
  return [
    `Resuming the run ${run.id}: ${standing} of ${counted(cases.length, 'case')} finished and stand.`,
    ...(edited.length > 0 ? [`Edited since, so run anew: ${shortListOfCases(edited)}.`] : []),
    ...goneText(gone),
  ].join(' ');
}

function goneText(gone = 0): string[] {
  return gone > 0 ? [`No longer in the files: ${counted(gone, 'case')}.`] : [];
}
