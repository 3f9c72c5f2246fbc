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
  failed: 'a case failed, or too many for --min-pass-rate; or --fail-on or --fail-under applies',
  errored:
    'a case errored or did not run, and none failed; an earlier record that `judge`, `compare --fail-on`, `mlflow push`, or `--only-failed` needs is damaged or unfinished; or the queue, the model of `generate`, or the MLflow server could not be used',
  invalid: 'invalid files or usage',
  unwritten: 'results could not be written, or an internal error',
  cancelled: 'cancelled',
};

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure, which is about the agent, takes precedence over an error. @param minPassRate see `RunCommandOptions` */
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

/** Wrong arguments, or nothing to do. The user sees the message without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
