import { visibleWarnings } from '../../core/logger.ts';
import { scoreText } from '../../core/presentation/score.ts';
import { passRateOf } from '../../core/record/repetitions.ts';
import type { EndLine } from '../../core/record/runRecord.ts';
import type { Suite, SuiteCase } from '../../core/suite.ts';
import { counted } from '../../core/text/format.ts';
import { visibleLine, visibleText } from '../../core/text/visibleText.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import { shownPath } from '../../report/style.ts';
import type { RunEvent } from '../../runner/events.ts';
import { selectedCases } from '../../runner/plan.ts';
import type { RunOptions } from '../../runner/runOptions.ts';
import { answersFolder } from '../../store/answers.ts';
import { traceSecretFile } from '../../store/traceToken.ts';
import { readDotenv } from '../dotenv.ts';
import { CASES_MISSING, EXIT, type ExitCode, exitCodeOf, UsageError } from '../exitCode.ts';
import { allowedHostsOf, requireHosts } from '../hosts.ts';
import { queueAddress, type RunCommandOptions } from '../options.ts';
import { resolveRecordings, workspaceOf } from '../paths.ts';
import { reportProblems } from '../problems.ts';
import { createReporters } from '../reporters.ts';
import { type PriorRun, priorRunText, rejudge, resume } from '../resume.ts';
import { filterByLastStatus, noneWithLastStatus, selectCases } from '../selection.ts';
import type { Shell } from '../shell.ts';
import { loadSuites } from '../suites.ts';
import { ownVersion } from '../version.ts';

/** Runs cases. If a file is invalid, nothing runs. @throws UsageError, UnwritableError */
export async function run(
  args: readonly string[],
  given: RunCommandOptions,
  shell: Shell,
): Promise<ExitCode> {
  const prior = await findPriorRun(args, given, shell.folder);
  const { files, options } = prior ?? { files: args, options: given };
  const recordings = resolveRecordings(options, shell.folder);
  if (options.dotenv !== undefined) await readDotenv(options.dotenv, shell);
  const loaded = await loadSuites(files, shell, options, options.baseUrl === given.baseUrl);
  if (reportProblems(loaded, shell.folder, (text) => shell.err.write(text))) {
    shell.err.write('Nothing was run. Fix the errors above first.\n');
    return EXIT.invalid;
  }
  const suites = loaded.flatMap(({ suite }) => (suite ? [suite] : []));
  const filtered = await filterByLastStatus(suites, options);
  const select = prior?.select ?? selectCases(suites, options, filtered?.found);
  const forbidOnly = options.forbidOnly ?? isCi(shell.env);
  if (forbidOnly) refuseOnly(suites, shell.folder);
  const chosen = selectedCases(suites, select).map((one) => one.case);
  if (chosen.length === 0) {
    shell.err.write(filtered ? noneWithLastStatus(options) : `${noCasesText(options)}\n`);
    const isComplete = !prior?.earlier && !reportDamage(filtered?.damage, shell);
    return isComplete ? EXIT.passed : EXIT.errored;
  }
  const allowed = await allowedHostsOf(options.allowHost ?? [], shell);
  // A queue's workers use their own keys.
  const sendsRequests = recordings.replay === undefined && options.queue === undefined;
  const allowedHosts = sendsRequests ? await requireHosts(chosen, allowed, shell) : allowed;
  const taken = [...suites.map(({ path }) => path), ...Object.values(recordings)];
  const reporters = await createReporters(options.reporter, options.output, shell, taken);

  const { runSuites } = await import('../../runner/run.ts');
  const signal = shell.catchInterrupt();
  if (chosen.some(({ only }) => only)) reporters.note(onlyText(chosen.length, suites));
  if (prior && !prior.earlier) reporters.note('These files have no runs. Starting a new one.');
  signal.addEventListener('abort', () =>
    reporters.note('Stopping. Press Ctrl+C again to stop immediately.'),
  );
  const log = visibleWarnings((message) => reporters.note(message));
  const { maxCost, timeout, queue } = options;
  const limits = { timeout, ...(maxCost !== undefined && { maxCost }) };
  const used = new Set(chosen);
  const elsewhere =
    queue === undefined
      ? undefined
      : await startOnQueue(
          queue,
          loaded.filter((one) => one.suite?.cases.some((suiteCase) => used.has(suiteCase))),
          { ...limits, cache: options.cache, log, signal },
          shell,
          (event) => reporters.event(event),
        );
  const result = await runSuites({
    suites,
    select,
    concurrency: options.concurrency,
    ...(elsewhere && { elsewhere }),
    ...limits,
    forbidOnly,
    keepRecord: options.save,
    ...(prior?.earlier && { [options.judgeAgain ? 'judgeAgain' : 'resume']: prior.earlier }),
    ...recordings,
    answersFolder: answersFolder(shell.processEnv),
    traceSecretFile: traceSecretFile(shell.processEnv),
    ...(options.tracesPort !== undefined && { tracesPort: options.tracesPort }),
    ...(options.cache && { cache: { folder: answersFolder(shell.processEnv), fresh: false } }),
    described: { ...describeOptions(options), ...shardOf(suites, options, filtered?.found) },
    secret: async (name) => shell.env(name),
    env: shell.env,
    programVariables: shell.fileVariables,
    allowedHosts,
    scrubber: shell.scrubber,
    log,
    signal,
    onEvent: (event) => {
      reporters.event(event);
      const note = event.kind === 'run-started' ? priorRunText(event) : undefined;
      if (note !== undefined) reporters.note(note);
    },
  }).finally(() => elsewhere?.close());
  const unwritten = [...result.writeErrors, ...(await reporters.finish())];
  for (const { message } of unwritten) shell.err.write(`${visibleText(message)}\n`);
  const { minPassRate } = options;
  if (minPassRate !== undefined) shell.err.write(passRateLine(result.end, minPassRate));
  const isDamaged = reportDamage(filtered?.damage ?? result.damage, shell);
  const isEmpty = Object.values(result.end.counts).every((count) => count === 0);
  const isComplete = !isDamaged && !isEmpty && result.unfinished === 0;
  return exitCodeOf(result.end, unwritten.length > 0, isComplete, minPassRate);
}

/** Judges the conversations of an earlier run again. @param earlier default: the last run */
export async function judge(
  earlier: string | undefined,
  options: RunCommandOptions,
  shell: Shell,
): Promise<ExitCode> {
  return run([], { ...options, judgeAgain: earlier ?? true }, shell);
}

/** @param damage reasons why cases from earlier runs may be missing @returns whether there are any */
function reportDamage(damage: readonly string[] = [], shell: Shell): boolean {
  for (const one of damage) shell.err.write(`${visibleLine(one)}\n`);
  if (damage.length > 0) shell.err.write(CASES_MISSING);
  return damage.length > 0;
}

/** Sends a run's cases to a queue's workers. @throws UsageError, QueueError */
async function startOnQueue(
  given: string | true,
  loaded: readonly LoadedSuite[],
  options: Pick<RunOptions, 'timeout' | 'maxCost' | 'log' | 'signal'> & { readonly cache: boolean },
  shell: Shell,
  onEvent: (event: RunEvent) => void,
) {
  const url = queueAddress(given, shell);
  const { openQueuedRun } = await import('../../queue/queue.ts');
  return openQueuedRun({
    ...options,
    url,
    version: ownVersion(),
    root: workspaceOf(shell.folder),
    suites: loaded.flatMap(({ suite, dependencies }) =>
      suite ? [{ suite, files: dependencies }] : [],
    ),
    scrubber: shell.scrubber,
    onEvent,
  });
}

async function findPriorRun(
  args: readonly string[],
  options: RunCommandOptions,
  folder: string,
): Promise<PriorRun | undefined> {
  if (options.judgeAgain) return rejudge(options, folder);
  return options.resume ? resume(args, options, folder) : undefined;
}

function passRateLine(end: EndLine, wanted: number): string {
  if (end.cancelled) return '';
  const rate = passRateOf(end.counts);
  if (rate === null)
    return '--min-pass-rate: there is no pass rate, because no case passed or failed.\n';
  const [shown, least] = [scoreText(rate, wanted), scoreText(wanted)];
  return `Pass rate ${shown} ${rate < wanted ? 'is below' : 'reaches'} --min-pass-rate ${least}.\n`;
}

/** Whether this runs in CI. `CI=false` and `CI=0` count as not set. */
function isCi(env: Shell['env']): boolean {
  const value = env('CI') ?? '';
  return value !== '' && value !== 'false' && value !== '0';
}

/**
 * Refuses files that contain `only`: if one were left in by mistake, a build could pass on a few cases.
 *
 * @throws UsageError
 */
function refuseOnly(suites: readonly Suite[], folder: string): void {
  const narrowing = suites.flatMap((suite) => suite.cases).filter((one) => one.only);
  if (narrowing.length === 0) return;
  const cases = narrowing.map(({ id, source }) => {
    const line = source.range.start.line + 1;
    return `${shownPath(source.path, folder)}:${line}: the case "${id}" sets \`only\`.`;
  });
  throw new UsageError(
    `${cases.join('\n')}\nRemove \`only\`, or allow it with --no-forbid-only. By default, it is an error if CI is set.`,
  );
}

function onlyText(chosen: number, suites: readonly Suite[]): string {
  const all = suites.reduce((sum, { cases }) => sum + cases.length, 0);
  return `Running ${chosen} of ${counted(all, 'case')}, because of \`only\`.`;
}

function noCasesText({ shard }: RunCommandOptions): string {
  return shard ? 'This shard has no cases.' : 'The cases of that run are no longer in the files.';
}

/** Identifies the shard, so that `merge` can check whether it has all shards. */
function shardOf(
  suites: readonly Suite[],
  { shard, ...options }: RunCommandOptions,
  among: ReadonlySet<SuiteCase> | undefined,
): Record<string, unknown> {
  if (!shard) return {};
  const select = selectCases(suites, options, among);
  const cases = selectedCases(suites, select).length;
  return { shard: `${shard.part}/${shard.of}`, sharded_cases: cases };
}

/** The options that were given, without defaults, for the run record. */
function describeOptions(options: RunCommandOptions): Record<string, unknown> {
  const { cache, queue, concurrency } = options;
  const given = RECORDED_OPTIONS.filter((name) => options[name] !== undefined).map((name) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    options[name],
  ]);
  return {
    ...Object.fromEntries(given),
    ...(!cache && { cache }),
    ...(queue === undefined ? { concurrency } : { queue: true }),
  };
}

const RECORDED_OPTIONS = [
  ...(['case', 'tag', 'limit', 'onlyFailed', 'onlyErrors', 'judge', 'target', 'baseUrl'] as const),
  ...(['record', 'replay', 'maxCost', 'minPassRate', 'timeout'] as const),
];
