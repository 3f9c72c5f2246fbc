import type { EndLine } from '../core/runRecord.ts';

export const EXIT = { passed: 0, failed: 1, errored: 2, invalid: 3, cancelled: 130 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure is told before an error: it is about the agent, not about the run. */
export function exitCodeOf(end: EndLine): ExitCode {
  if (end.cancelled) return EXIT.cancelled;
  if ((end.counts.fail ?? 0) > 0) return EXIT.failed;
  if ((end.counts.error ?? 0) > 0) return EXIT.errored;
  return EXIT.passed;
}

/** Wrong arguments, or nothing to do: shown as it is, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
