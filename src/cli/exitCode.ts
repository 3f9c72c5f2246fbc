import type { EndLine } from '../core/runRecord.ts';

export const EXIT = {
  passed: 0,
  failed: 1,
  errored: 2,
  invalid: 3,
  unwritten: 4,
  cancelled: 130,
} as const;

export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  passed: 'all passed',
  failed: 'a case failed',
  errored: 'a case errored',
  invalid: 'invalid files or usage',
  unwritten: 'results could not be written, or an internal error',
  cancelled: 'cancelled',
};

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * A failure takes precedence over an error: it is about the agent, not about the run.
 *
 * @param unwritten whether something of the run could not be written
 */
export function exitCodeOf(end: EndLine, unwritten: boolean): ExitCode {
  if (end.cancelled) return EXIT.cancelled;
  if (unwritten) return EXIT.unwritten;
  if ((end.counts.fail ?? 0) > 0) return EXIT.failed;
  if ((end.counts.error ?? 0) > 0) return EXIT.errored;
  return EXIT.passed;
}

/** Wrong arguments, or nothing to do: shown as it is, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
