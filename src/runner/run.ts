import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import { combineRepetitions } from '../core/repetitions.ts';
import { type CaseLine, type EndLine, RECORD_VERSION, type RunLine } from '../core/runRecord.ts';
import type { Assertion, ModelSpec } from '../core/suite.ts';
import { createRecord, type RecordWriter } from '../store/append.ts';
import { Exchanges } from './exchanges.ts';
import { type PlannedCase, planRun } from './plan.ts';
import { runCase } from './runCase.ts';
import type { RunOptions, RunResult } from './runOptions.ts';

/**
 * Runs cases side by side, the turns of each in order, and tells what happens as it happens. A
 * finished case is on the disk before `case-finished` is told.
 *
 * Aborting `signal` stops the running cases at once; finished ones are kept and the promise
 * resolves.
 *
 * Past `maxCost` nothing more is asked or begun: what needed a model then is an error `over-budget`.
 *
 * @throws RunRefusedError, RecordingError before anything runs
 */
export async function runSuites(options: RunOptions): Promise<RunResult> {
  const planned = planRun(options);
  const exchanges = await Exchanges.open(options);
  let record: RecordWriter | undefined;
  try {
    exchanges.checkPrices(modelsOf(planned));
    const run = await describeRun(options, planned);
    if (options.keepRecord) record = await createRecord(options.workspace, run.id, run.started);
    await record?.append(run);
    options.onEvent({
      kind: 'run-started',
      run,
      cases: planned.map(({ ref }) => ref),
      ...(record && { record: record.path }),
    });
    const lines = await runAll(planned, exchanges, options, async (line) => record?.append(line));
    const end: EndLine = {
      kind: 'end',
      finished: new Date().toISOString(),
      cancelled: options.signal.aborted,
      ...(exchanges.stopped && { stopped: 'max-cost' as const }),
      counts: countCases(planned, lines),
    };
    await record?.append(end);
    options.onEvent({ kind: 'run-finished', end });
    return { end, ...(record && { record: record.path }) };
  } finally {
    await record?.close();
    await exchanges.close();
  }
}

async function runAll(
  planned: readonly PlannedCase[],
  exchanges: Exchanges,
  options: RunOptions,
  keep: (line: CaseLine) => Promise<void>,
): Promise<ReadonlyMap<PlannedCase, CaseLine>> {
  const { signal, onEvent, concurrency } = options;
  const limit = pLimit(Math.max(1, concurrency));
  const lines = new Map<PlannedCase, CaseLine>();
  await Promise.all(
    planned.map((one) =>
      limit(async () => {
        if (signal.aborted || exchanges.stopped) return;
        try {
          const line = await runCase(one.suite, one.case, one.ref, exchanges, options);
          await keep(line);
          lines.set(one, line);
          onEvent({ kind: 'case-finished', ref: one.ref, line });
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      }),
    ),
  );
  return lines;
}

/** Cases by their status, the repetitions of each taken together. */
function countCases(
  planned: readonly PlannedCase[],
  lines: ReadonlyMap<PlannedCase, CaseLine>,
): EndLine['counts'] {
  const counts = { pass: 0, fail: 0, error: 0, skipped: 0 };
  for (const first of planned.filter(({ ref }) => ref.repetition === 1)) {
    const repetitions = planned
      .filter((one) => one.suite === first.suite && one.case === first.case)
      .flatMap((one) => lines.get(one) ?? []);
    if (repetitions.length === 0) continue;
    counts[combineRepetitions(repetitions, first.case.repeat.pass).status] += 1;
  }
  return counts;
}

async function describeRun(options: RunOptions, planned: readonly PlannedCase[]): Promise<RunLine> {
  const commit = await commitOf(options.workspace);
  const judges = planned.flatMap((one) => judgesOf(one.case.assertions));
  return {
    kind: 'run',
    version: RECORD_VERSION,
    id: randomBytes(4).toString('hex'),
    started: new Date().toISOString(),
    files: [...new Set(planned.map(({ suite }) => suite))].map(({ path, hash }) => ({
      path,
      hash,
    })),
    options: { ...options.described },
    judges: [...new Set(judges.map(({ id }) => id))],
    ...(commit !== undefined && { commit }),
  };
}

function judgesOf(assertions: readonly Assertion[]): ModelSpec[] {
  return assertions.flatMap(({ judge, nested = [] }) => [
    ...(judge ? [judge] : []),
    ...judgesOf(nested.map((one) => one.assertion)),
  ]);
}

/** Every model that the run may ask. */
function modelsOf(planned: readonly PlannedCase[]): ModelSpec[] {
  return planned.flatMap(({ case: { origin, assertions } }) => [
    ...judgesOf(assertions),
    ...assertions.flatMap(({ model }) => (model ? [model] : [])),
    ...(origin.kind === 'turns' && origin.target.model ? [origin.target.model] : []),
  ]);
}

/** Undefined where the workspace is in no git repository, or there is no git. */
async function commitOf(folder: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('git', ['rev-parse', 'HEAD'], { cwd: folder });
    return stdout.trim();
  } catch {
    return undefined;
  }
}
