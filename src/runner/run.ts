import pLimit from 'p-limit';
import { countCases } from '../core/record/repetitions.ts';
import {
  type CaseLine,
  type CaseSummary,
  type EndLine,
  summaryOf,
} from '../core/record/runRecord.ts';
import { usageOf } from '../core/verdict.ts';
import { homesBelowOneRoot } from '../store/home.ts';
import { RunWriter } from '../store/records/write.ts';
import { runCase } from './case/runCase.ts';
import { resume, StoredCases, standingLines } from './earlierRun.ts';
import { modelsOf } from './models.ts';
import { describeRun, planRun } from './plan.ts';
import { RunContext } from './runContext.ts';
import type { CaseRunner, PlannedCase, RunOptions, RunResult } from './runOptions.ts';

/**
 * Runs cases in parallel, each with its turns in order, and reports events as they happen. A
 * finished case is on disk before `case-finished` is reported, if the disk takes it.
 *
 * Aborting `signal` stops the running cases at once; finished ones are kept and the promise
 * resolves.
 *
 * Past `maxCost` nothing more is asked or begun: what needed a model then is an error `over-budget`.
 *
 * @throws RunRefusedError, RecordingError, UnwritableError before anything runs
 */
export async function runSuites(options: RunOptions): Promise<RunResult> {
  const chosen = planRun(options);
  const context = await RunContext.open(options, [...new Set(chosen.map(({ suite }) => suite))]);
  const { homes, unwritten } = context;
  const rootOf = (path: string) => homes.get(path)?.root ?? '';
  let kept: RunWriter | undefined;
  try {
    const stored = options.judgeAgain && (await StoredCases.open(options.judgeAgain, homes));
    const planned = stored ? chosen.filter(({ ref }) => stored.has(ref)) : chosen;
    context.prepare(modelsOf(planned.map((one) => one.case)));
    const { run, byRoot } = await describeRun(options, planned, rootOf);
    const resumed = options.resume && (await resume(options.resume, planned, context));
    if (options.keepRecord) {
      kept = await RunWriter.open(byRoot, homes, options.scrubber, resumed?.retained);
    }
    const records = kept?.paths ?? [];
    options.onEvent({
      kind: 'run-started',
      run: options.scrubber.data(run),
      cases: planned.map(({ ref }) => ref),
      homes: homesBelowOneRoot(homes),
      records,
      ...(resumed && { resumed: resumed.takenOver }),
      ...(stored && { gone: stored.count - planned.length }),
    });
    const runner = options.elsewhere ?? runHere(context, stored);
    const finished = new Map<PlannedCase, CaseSummary>();
    if (resumed) await takeOver(standingLines(records, resumed, homes), finished, options);
    const left = planned.filter((one) => !resumed?.standing.has(one));
    await runAll(left, runner, options, finished, (line) => unwritten.tolerate(kept?.append(line)));
    const endOf = (cases: readonly PlannedCase[]): EndLine => {
      const lines = cases.flatMap((one) => finished.get(one) ?? []);
      return {
        kind: 'end',
        finished: new Date().toISOString(),
        cancelled: options.signal.aborted,
        ...(runner.stopped && { stopped: 'max-cost' as const }),
        counts: countCases(lines),
        usage: usageOf(lines),
      };
    };
    await unwritten.tolerate(
      kept?.end((root) => endOf(planned.filter(({ suite }) => rootOf(suite.path) === root))),
    );
    const end = endOf(planned);
    options.onEvent({ kind: 'run-finished', end });
    return { end, records, unwritten: unwritten.errors };
  } finally {
    await kept?.close();
    await context.close();
  }
}

async function runAll(
  planned: readonly PlannedCase[],
  runner: CaseRunner,
  options: RunOptions,
  finished: Map<PlannedCase, CaseSummary>,
  keep: (line: CaseLine) => Promise<void>,
): Promise<void> {
  const { signal, onEvent } = options;
  const limit = pLimit(runner.atOnce);
  await Promise.all(
    planned.map((one) =>
      limit(async () => {
        if (signal.aborted || runner.stopped) return;
        try {
          const line = await runner.run(one);
          if (!line) return;
          await keep(line);
          finished.set(one, summaryOf(line));
          onEvent({ kind: 'case-finished', ref: one.ref, line });
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      }),
    ),
  );
}

async function takeOver(
  standing: ReturnType<typeof standingLines>,
  finished: Map<PlannedCase, CaseSummary>,
  { onEvent }: RunOptions,
): Promise<void> {
  for await (const { one, line } of standing) {
    finished.set(one, summaryOf(line));
    onEvent({ kind: 'case-started', ref: one.ref, case: one.case });
    onEvent({ kind: 'case-finished', ref: one.ref, line, earlier: true });
  }
}

/**
 * Runs cases in this process.
 *
 * @param stored conversations that are judged again instead
 */
function runHere(context: RunContext, stored?: StoredCases): CaseRunner {
  const { attach, concurrency } = context.options;
  return {
    run: (planned) => runCase(planned, context, stored),
    // Only one program at a time can have the debugger.
    atOnce: attach ? 1 : concurrency,
    get stopped() {
      return context.stopped;
    },
  };
}

/** Runs cases of a run whose record another process writes. */
export interface OpenRunner extends CaseRunner {
  /** Ends the programs of targets. */
  close(): Promise<void>;
}

/** @throws RecordingError, UnwritableError */
export async function openRunner(options: RunOptions): Promise<OpenRunner> {
  const context = await RunContext.open(options);
  return Object.assign(runHere(context), { close: () => context.close() });
}
