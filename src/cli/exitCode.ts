import { passRateOf } from '../core/record/repetitions.ts';
import type { EndLine } from '../core/record/runRecord.ts';

export const EXIT = {
  passed: 0,
  failed: 1,
  errored: 2,
  invalid: 3,
  unwritten: 4,
  cancelled: 130,
} as const;

export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  passed: 'no case failed or errored',
  failed:
    'a case failed (with --min-pass-rate: the pass rate is too low), or the condition of --fail-on or --fail-under is met',
  errored:
    'no case failed, but one errored or did not run; an earlier record that `judge`, `compare --fail-on`, `mlflow push`, or `--only-failed` needs is damaged or unfinished; or the queue, the model for `generate`, or the MLflow server could not be used',
  invalid: 'invalid files or usage',
  unwritten: 'results could not be written, or an internal error',
  cancelled: 'cancelled',
};

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * A failure takes precedence over an error, because it says something about the agent.
 *
 * @param minPassRate see `RunCommandOptions`
 */
export function exitCodeOf(
  end: EndLine,
  unwritten: boolean,
  isComplete: boolean,
  minPassRate?: number,
): ExitCode {
  if (end.cancelled) return EXIT.cancelled;
  if (unwritten) return EXIT.unwritten;
  const rate = passRateOf(end.counts);
  if (rate !== null && rate < (minPassRate ?? 1)) return EXIT.failed;
  const isUnknown = rate === null && minPassRate !== undefined;
  if ((end.counts.error ?? 0) > 0 || !isComplete || isUnknown) return EXIT.errored;
  return EXIT.passed;
}

/** Why the exit code isn't 0 although nothing failed. */
export const CASES_MISSING = 'Cases may be missing, so this does not count as passed.\n';

/** Thrown for wrong arguments, or if there is nothing to do. The user sees its message without a stack trace. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
