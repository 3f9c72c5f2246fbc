import pLimit from 'p-limit';
import { imagesIn, turnsOf } from '../core/conversation.ts';
import { countCases } from '../core/record/repetitions.ts';
import {
  type CaseLine,
  type CaseSummary,
  type EndLine,
  summaryOf,
} from '../core/record/runRecord.ts';
import { usageOf } from '../core/verdict.ts';
import { dataFoldersBelowOneRoot } from '../store/dataFolder.ts';
import { storeImages } from '../store/images.ts';
import { RunWriter } from '../store/records/write.ts';
import { openCase } from './case/caseLine.ts';
import { runCase } from './case/runCase.ts';
import { openStoredCases, resume, reusedLines, type StoredCases } from './earlierRun.ts';
import { modelsOf } from './models.ts';
import { describeRun, planRun } from './plan.ts';
import { RunContext } from './runContext.ts';
import type { CaseRunner, PlannedCase, RunOptions, RunResult } from './runOptions.ts';

/**
 * Runs cases in parallel. A finished case is on disk before `case-finished` is reported, unless it can't be written. If
 * `signal` is aborted, running cases stop immediately, finished cases are kept, and the promise resolves. Once
 * `maxCost` is reached, no more requests are sent and no more cases start. Running cases that need a model end with an
 * `over-budget` error.
 *
 * @throws RunRefusedError, RecordingError, UnwritableError before anything runs
 */
export async function runSuites(options: RunOptions): Promise<RunResult> {
  const chosen = planRun(options);
  const context = await RunContext.open(options, [...new Set(chosen.map(({ suite }) => suite))]);
  const { dataFolders, writeErrors } = context;
  const rootOf = (path: string) => dataFolders.get(path)?.root ?? '';
  let writer: RunWriter | undefined;
  try {
    const stored = options.judgeAgain && (await openStoredCases(options.judgeAgain, dataFolders));
    const planned = stored ? chosen.filter(({ ref }) => stored.has(ref)) : chosen;
    context.prepare(modelsOf(planned.map((one) => one.case)));
    const { run, byRoot } = await describeRun(options, planned, rootOf);
    const resumed = options.resume && (await resume(options.resume, planned, context, run.commit));
    const damage = stored?.damage ?? resumed?.lost ?? [];
    if (options.keepRecord) {
      writer = await RunWriter.open(byRoot, dataFolders, options.scrubber, resumed?.retained);
    }
    const records = writer?.paths ?? [];
    options.onEvent({
      kind: 'run-started',
      run: options.scrubber.data(run),
      cases: planned.map(({ ref }) => ref),
      dataFolders: dataFoldersBelowOneRoot(dataFolders),
      records,
      ...(resumed && { resumed: resumed.summary }),
      ...(stored && { gone: stored.count - planned.length }),
    });
    const runner = options.elsewhere ?? runLocally(context, stored);
    const finished = new Map<PlannedCase, CaseSummary>();
    const reused = resumed ? reusedLines(records, resumed, dataFolders) : [];
    for await (const { one, line } of reused) {
      finished.set(one, summaryOf(line));
      options.onEvent({ kind: 'case-started', ref: one.ref, case: one.case });
      options.onEvent({ kind: 'case-finished', ref: one.ref, line, earlier: true });
    }
    const left = planned.filter((one) => !resumed?.reused.has(one));
    await runAll(left, runner, options, finished, async (line, one) => {
      if (!writer) return;
      await writeErrors.tolerate(keepImages(line, one, rootOf(line.suite)));
      await writeErrors.tolerate(writer.append(line));
    });
    const endOf = (cases: readonly PlannedCase[]): EndLine => {
      const lines = cases.flatMap((one) => finished.get(one) ?? []);
      return {
        kind: 'end',
        finished: new Date().toISOString(),
        cancelled: options.signal.aborted,
        ...(runner.stopped && { stopped: 'max-cost' as const }),
        ...(damage.length > 0 && { incomplete: true as const }),
        counts: countCases(lines),
        usage: usageOf(lines),
      };
    };
    await writeErrors.tolerate(
      writer?.end((root) => endOf(planned.filter(({ suite }) => rootOf(suite.path) === root))),
    );
    const end = endOf(planned);
    options.onEvent({ kind: 'run-finished', end });
    return {
      end,
      records,
      writeErrors: writeErrors.errors,
      damage,
      unfinished: planned.length - finished.size,
    };
  } finally {
    await writer?.close();
    await context.close();
  }
}

async function runAll(
  planned: readonly PlannedCase[],
  runner: CaseRunner,
  options: RunOptions,
  finished: Map<PlannedCase, CaseSummary>,
  keep: (line: CaseLine, one: PlannedCase) => Promise<void>,
): Promise<void> {
  const { signal, onEvent } = options;
  const limit = pLimit(runner.concurrency);
  await Promise.all(
    planned.map((one) =>
      limit(async () => {
        if (signal.aborted || runner.stopped) return;
        try {
          const line = await runner.run(one);
          if (!line) return;
          await keep(line, one);
          finished.set(one, summaryOf(line));
          onEvent({ kind: 'case-finished', ref: one.ref, line });
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      }),
    ),
  );
}

/** Stores the images of a finished case. @throws UnwritableError */
async function keepImages(
  { conversation }: CaseLine,
  { case: planned }: PlannedCase,
  root: string,
): Promise<void> {
  const images = imagesIn(turnsOf(conversation));
  if (images.length === 0) return;
  // Another process may have opened and run the case.
  const { suiteCase } = await openCase(planned);
  await storeImages(root, images, suiteCase.images ?? new Map());
}

/** Runs cases in this process. @param stored conversations to judge again instead of running new ones */
function runLocally(context: RunContext, stored?: StoredCases): CaseRunner {
  const { attach, concurrency } = context.options;
  return {
    run: (planned) => runCase(planned, context, stored),
    // Only one program at a time can use the debugger.
    concurrency: attach ? 1 : concurrency,
    get stopped() {
      return context.stopped;
    },
  };
}

/** Runs the cases of a run whose record another process writes. */
export interface OpenRunner extends CaseRunner {
  /** Ends the targets' programs. */
  close(): Promise<void>;
}

/** @throws RecordingError, UnwritableError */
export async function openRunner(options: RunOptions): Promise<OpenRunner> {
  const context = await RunContext.open(options);
  return Object.assign(runLocally(context), { close: () => context.close() });
}
