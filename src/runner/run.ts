import pLimit from 'p-limit';
import { countCases } from '../core/record/repetitions.ts';
import {
  type CaseLine,
  type CaseSummary,
  type EndLine,
  summaryOf,
} from '../core/record/runRecord.ts';
import { usageOf } from '../core/verdict.ts';
import { findHomes, homesBelowOneRoot } from '../store/home.ts';
import { RunWriter } from '../store/records/write.ts';
import type { CaseRunner, PlannedCase } from './caseRunner.ts';
import { describeRun } from './describeRun.ts';
import { Exchanges } from './exchanges.ts';
import { runHere } from './here.ts';
import { modelsOf } from './modelsOf.ts';
import { planRun } from './plan.ts';
import { resume, standingLines } from './resume.ts';
import type { RunOptions, RunResult } from './runOptions.ts';
import { StoredCases } from './stored.ts';
import { Unwritten } from './unwritten.ts';

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
  const homes = findHomes(chosen.map(({ suite }) => suite));
  const stored = options.judgeAgain && (await StoredCases.open(options.judgeAgain, homes));
  const planned = stored ? chosen.filter(({ ref }) => stored.has(ref)) : chosen;
  const rootOf = (path: string) => homes.get(path)?.root ?? '';
  const unwritten = new Unwritten(options.log);
  const exchanges = await Exchanges.open(options, homes, unwritten);
  let kept: RunWriter | undefined;
  try {
    const models = modelsOf(planned.map((one) => one.case));
    exchanges.checkPrices(models);
    const describing = describeRun(options, planned, rootOf);
    exchanges.loadAhead(models);
    const { run, byRoot } = await describing;
    const resumed = options.resume && (await resume(options.resume, planned, homes, exchanges));
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
    const runner = options.elsewhere ?? runHere(exchanges, options, stored);
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
    await exchanges.close();
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
