import { scoreText } from '../../core/presentation/score.ts';
import { visibleWarnings } from '../../core/presentation/visibleLog.ts';
import { visibleText } from '../../core/presentation/visibleText.ts';
import { passRateOf } from '../../core/record/repetitions.ts';
import type { EndLine } from '../../core/record/runRecord.ts';
import type { Suite } from '../../core/suite.ts';
import { shownPath } from '../../report/shownPath.ts';
import { selectedCases } from '../../runner/plan.ts';
import { answersFolder } from '../../store/answersFolder.ts';
import { readDotenv } from '../dotenv.ts';
import { EXIT, type ExitCode, exitCodeOf, UsageError } from '../exitCode.ts';
import { type GoingBack, goingBackText, judgingAgain, resuming } from '../goingBack.ts';
import { allowedHostsOf, requireHosts } from '../hosts.ts';
import { lastEnded, nothingEnded } from '../lastEnded.ts';
import { openQueuedRun } from '../queueing.ts';
import { recordingsOf } from '../recordings.ts';
import { createReporters, type Reporters } from '../reporters.ts';
import { type Selection, selectCases, selectionOf } from '../selection.ts';
import type { Shell } from '../shell.ts';
import { loadSuites, showProblems } from '../suites.ts';
import type { RunCommandOptions } from './runCommandOptions.ts';

/** Runs cases. Nothing runs where a file is invalid. @throws UsageError, UnwritableError */
export async function run(
  args: readonly string[],
  given: RunCommandOptions,
  shell: Shell,
): Promise<ExitCode> {
  const back = await goBack(args, given, shell.folder);
  const { files, options } = back ?? { files: args, options: given };
  const recordings = recordingsOf(options, shell.folder);
  if (options.dotenv !== undefined) await readDotenv(options.dotenv, shell);
  const loaded = await loadSuites(files, shell, options, options.baseUrl === given.baseUrl);
  if (showProblems(loaded, shell.folder, (text) => shell.err.write(text))) {
    shell.err.write('Nothing was run. Fix the errors above first.\n');
    return EXIT.invalid;
  }
  const suites = loaded.flatMap(({ suite }) => (suite ? [suite] : []));
  const among = await lastEnded(suites, options);
  const selection = { ...selectionOf(options), ...(among && { among }) };
  const select = back?.select ?? selectCases(suites, selection);
  const forbidOnly = options.forbidOnly ?? isCi(shell.env);
  if (forbidOnly) refuseOnly(suites, shell.folder);
  const chosen = selectedCases(suites, select).map((one) => one.case);
  if (chosen.length === 0) {
    shell.err.write(among ? nothingEnded(options) : `${nothingLeft(options)}\n`);
    return EXIT.passed;
  }
  const allowed = await allowedHostsOf(options.allowHost ?? [], shell);
  // Where others ask, keys are theirs as well.
  const asksHere = recordings.replay === undefined && options.queue === undefined;
  const allowedHosts = asksHere ? await requireHosts(chosen, allowed, shell) : allowed;
  const chosenReporters = options.reporter ?? [{ name: 'terminal' }];
  const taken = [...suites.map(({ path }) => path), ...Object.values(recordings)];
  const reporters = await createReporters(chosenReporters, options.output, shell, taken);

  const { runSuites } = await import('../../runner/run.ts');
  const signal = shell.catchInterrupt();
  if (back && !back.earlier) reporters.note('No run of these files is kept. A new one begins.');
  noteInterrupt(signal, reporters);
  const log = visibleWarnings((message) => reporters.note(message));
  const { maxCost, timeout, queue } = options;
  const limits = { timeout, ...(maxCost !== undefined && { maxCost }) };
  const used = new Set(chosen);
  const elsewhere =
    queue === undefined
      ? undefined
      : await openQueuedRun(
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
    ...(back?.earlier && { [options.judgeAgain ? 'judgeAgain' : 'resume']: back.earlier }),
    ...recordings,
    ...(options.cache && { cache: { folder: answersFolder(shell.processEnv), fresh: false } }),
    described: { ...describeOptions(options), ...shardOf(suites, selection) },
    secret: async (name) => shell.env(name),
    env: shell.env,
    programVariables: shell.fileVariables,
    allowedHosts,
    scrubber: shell.scrubber,
    log,
    signal,
    onEvent: (event) => {
      reporters.event(event);
      const told = event.kind === 'run-started' ? goingBackText(event) : undefined;
      if (told !== undefined) reporters.note(told);
    },
  }).finally(() => elsewhere?.close());
  const unwritten = [...result.unwritten, ...(await reporters.finish())];
  for (const { message } of unwritten) shell.err.write(`${visibleText(message)}\n`);
  const { minPassRate } = options;
  if (minPassRate !== undefined) shell.err.write(passRateLine(result.end, minPassRate));
  return exitCodeOf(result.end, unwritten.length > 0, minPassRate);
}

async function goBack(
  args: readonly string[],
  options: RunCommandOptions,
  folder: string,
): Promise<GoingBack | undefined> {
  if (options.judgeAgain) return judgingAgain(options, folder);
  return options.resume ? resuming(args, options, folder) : undefined;
}

function passRateLine(end: EndLine, wanted: number): string {
  if (end.cancelled) return '';
  const rate = passRateOf(end.counts);
  if (rate === null) return '--min-pass-rate: no case passed or failed.\n';
  const [shown, least] = [scoreText(rate, wanted), scoreText(wanted)];
  return `Pass rate ${shown} ${rate < wanted ? 'is below' : 'reaches'} --min-pass-rate ${least}.\n`;
}

/** `CI=false` and `CI=0` are as good as none. */
function isCi(env: Shell['env']): boolean {
  const value = env('CI') ?? '';
  return value !== '' && value !== 'false' && value !== '0';
}

/** `only` left in a file would let a build pass on a few of its cases. */
function refuseOnly(suites: readonly Suite[], folder: string): void {
  const narrowing = suites.flatMap((suite) => suite.cases).filter((one) => one.only);
  if (narrowing.length === 0) return;
  const cases = narrowing.map(({ id, source }) => {
    const line = source.range.start.line + 1;
    return `${shownPath(source.path, folder)}:${line}: the case "${id}" sets \`only\`.`;
  });
  throw new UsageError(
    `${cases.join('\n')}\nRemove \`only\`, or allow it with --no-forbid-only. It is refused by default when CI is set.`,
  );
}

function noteInterrupt(signal: AbortSignal, reporters: Reporters): void {
  const note = () => reporters.note('Stopping. Press Ctrl+C again to stop at once.');
  signal.addEventListener('abort', note, { once: true });
}

function nothingLeft({ shard }: RunCommandOptions): string {
  return shard
    ? 'This part of the cases is empty.'
    : 'The files have none of the cases of that run.';
}

/** What tells whether all parts are there once they are merged. */
function shardOf(suites: readonly Suite[], selection: Selection): Record<string, unknown> {
  const { shard } = selection;
  if (!shard) return {};
  const select = selectCases(suites, { ...selection, shard: undefined });
  const cases = selectedCases(suites, select).length;
  return { shard: `${shard.part}/${shard.of}`, sharded_cases: cases };
}

/** What the record keeps of the command line: what was asked for, and no default. */
function describeOptions(options: RunCommandOptions): Record<string, unknown> {
  const { case: cases, tag, limit, judge, baseUrl, concurrency, timeout, record, replay } = options;
  const { maxCost: max_cost, minPassRate: min_pass_rate, cache, queue } = options;
  const { onlyFailed: only_failed, onlyErrors: only_errors } = options;
  const given = {
    case: cases,
    tag,
    limit,
    only_failed,
    only_errors,
    judge,
    base_url: baseUrl,
    record,
    replay,
    max_cost,
    min_pass_rate,
    ...(!cache && { cache }),
  };
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...(queue === undefined ? { concurrency } : { queue: true }),
    timeout,
  };
}
