import { groupBy } from '../data/data.ts';
import { type CaseIdentity, caseKey } from '../identity.ts';
import { isFailure, mean, reaches, SCORE_EPSILON } from '../scoring.ts';
import type { Status } from '../verdict.ts';
import type { CaseSummary, EndLine } from './runRecord.ts';

/** The parts of an execution that determine the combined result. */
export interface Repetition extends Pick<CaseSummary, 'status' | 'score'> {
  readonly verdicts: readonly {
    readonly status: Status;
    readonly assertion: { readonly required: boolean };
  }[];
}

export interface RepeatedCase {
  readonly status: Status;
  /** Passed ÷ (passed + failed); null if there are none. */
  readonly passRate: number | null;
  /** Highest minus lowest score; null if fewer than two have one. */
  readonly spread: number | null;
  readonly score: number | null;
}

/**
 * Combines the repetitions of a case. A `required` verdict that failed in any of them fails the case, and an error
 * makes it an error: neither can be outvoted.
 *
 * @param pass share of the repetitions that must pass, 0..1
 */
export function combineRepetitions(lines: readonly Repetition[], pass: number): RepeatedCase {
  const passRate = passRateOf(countBy(lines));
  const scores = scoresOf(lines);
  const [low, high] = rangeOf(scores);
  const spread = scores.length < 2 ? null : high - low;
  const status = statusOf(lines, passRate, pass);
  return { status, passRate, spread, score: status === 'error' ? null : (mean(scores) ?? null) };
}

/**
 * Passed ÷ (passed + failed), or null if there are none. Errors don't count, because they say nothing about the agent.
 */
export function passRateOf({ pass, fail }: Pick<EndLine['counts'], 'pass' | 'fail'>) {
  return pass + fail === 0 ? null : pass / (pass + fail);
}

function countBy(lines: Iterable<Pick<Repetition, 'status'>>): EndLine['counts'] {
  const counts = { pass: 0, fail: 0, error: 0, skipped: 0 };
  for (const { status } of lines) counts[status] += 1;
  return counts;
}

/** Records from earlier versions have a score for errored cases. */
export function scoresOf(lines: readonly Pick<Repetition, 'status' | 'score'>[]): number[] {
  return lines.flatMap(({ status, score }) => (status === 'error' ? [] : (score ?? [])));
}

/** Lowest and highest of any number of scores. */
function rangeOf(scores: readonly number[]): readonly [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const score of scores) {
    low = Math.min(low, score);
    high = Math.max(high, score);
  }
  return [low, high];
}

/** Lowest and highest score, if they differ. */
export function scoreRangeOf(
  given: readonly Pick<Repetition, 'status' | 'score'>[],
): readonly [number, number] | undefined {
  const [low, high] = rangeOf(scoresOf(given));
  return high - low > SCORE_EPSILON ? [low, high] : undefined;
}

/** Combines one assertion's verdicts across a case's repetitions: all must pass. */
export function combineVerdicts(
  verdicts: readonly Pick<Repetition, 'status' | 'score'>[],
): RepeatedCase {
  const lines = verdicts.map(({ status, score }) => ({ status, score, verdicts: [] }));
  return combineRepetitions(lines, 1);
}

export interface RepeatedLine extends CaseIdentity, Repetition, Pick<CaseSummary, 'must_pass'> {}

export function repeatedCases(lines: Iterable<RepeatedLine>): RepeatedCase[] {
  return [...groupBy(lines, caseKey).values()].map(combineLines);
}

export function combineLines(lines: readonly RepeatedLine[]): RepeatedCase {
  return combineRepetitions(lines, lines[0]?.must_pass ?? 1);
}

/** Number of cases per status. */
export function countCases(lines: Iterable<RepeatedLine>): EndLine['counts'] {
  return countBy(repeatedCases(lines));
}

/**
 * pass^k: how likely k runs of a case all pass, for k from 1 to the fewest repetitions, over the cases that
 * are repeated. Of n decided runs with c passes it is C(c, k) ÷ C(n, k).
 * Yao et al. 2024, τ-bench, https://arxiv.org/abs/2406.12045
 *
 * @param cases the lines of each case
 */
export function passAtAll(cases: readonly (readonly CaseSummary[])[]): number[] {
  const counts = cases.flatMap((lines) => {
    const { pass, fail } = countBy(lines);
    return pass + fail > 1 ? [{ passed: pass, runs: pass + fail }] : [];
  });
  const most = counts.length === 0 ? 0 : rangeOf(counts.map(({ runs }) => runs))[0];
  let shares = counts.map(() => 1);
  return Array.from({ length: most }, (_, taken) => {
    shares = counts.map(
      ({ passed, runs }, index) =>
        ((shares[index] ?? 0) * Math.max(0, passed - taken)) / (runs - taken),
    );
    return mean(shares) ?? 0;
  });
}

function statusOf(lines: readonly Repetition[], passRate: number | null, pass: number): Status {
  const verdicts = lines.flatMap((line) => line.verdicts);
  if (verdicts.some((one) => one.assertion.required && isFailure(one))) return 'fail';
  if (lines.some(({ status }) => status === 'error')) return 'error';
  if (passRate === null) return 'skipped';
  // Even a tiny share requires one pass.
  return passRate > 0 && reaches(passRate, pass) ? 'pass' : 'fail';
}
