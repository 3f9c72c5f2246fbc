import type { CaseLine } from '../core/runRecord.ts';
import { mean } from '../core/scoring.ts';
import { isFailure, type Status } from '../core/verdict.ts';

export interface RepeatedCase {
  readonly status: Status;
  /** Passed ÷ those that passed or failed; null if none did. */
  readonly passRate: number | null;
  /** Highest less lowest score; null if fewer than two have one. */
  readonly spread: number | null;
  readonly score: number | null;
}

/**
 * What the repetitions of a case come to. A `required` verdict that failed in any of them fails the
 * whole, and an error makes it an error: neither is outvoted.
 *
 * @param pass share of the repetitions that must pass, 0..1
 */
export function combineRepetitions(lines: readonly CaseLine[], pass: number): RepeatedCase {
  const decided = lines.filter(({ status }) => status === 'pass' || status === 'fail');
  const passed = decided.filter(({ status }) => status === 'pass').length;
  const passRate = decided.length === 0 ? null : passed / decided.length;
  const scores = lines.flatMap(({ score }) => (score === null ? [] : [score]));
  const spread = scores.length < 2 ? null : Math.max(...scores) - Math.min(...scores);
  return {
    status: statusOf(lines, passRate, pass),
    passRate,
    spread,
    score: mean(scores) ?? null,
  };
}

function statusOf(lines: readonly CaseLine[], passRate: number | null, pass: number): Status {
  const gated = lines.some(({ verdicts }) =>
    verdicts.some((verdict) => verdict.assertion.required && isFailure(verdict)),
  );
  if (gated) return 'fail';
  if (lines.some(({ status }) => status === 'error')) return 'error';
  if (passRate === null) return 'skipped';
  return passRate >= pass - 1e-9 ? 'pass' : 'fail';
}
