import { groupBy } from './data/data.ts';
import type { Status, TurnVerdict, Verdict } from './verdict.ts';

export const WORST_FIRST: readonly Status[] = ['fail', 'error', 'pass', 'skipped'];

/** Scores closer than this are equal. */
export const SCORE_EPSILON = 1e-9;

/** The sum of all known values; null if there are none. */
export function sumOfKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

/** Undefined for an empty list, which has no score. */
export function mean(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Undefined for an empty list. */
export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return mean(sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1));
}

/** Lowest and highest value, such as 1 and 5. */
export type Scale = readonly [low: number, high: number];

export const UNIT_SCALE: Scale = [0, 1];

export type Grading =
  | { readonly kind: 'scale'; readonly scale: Scale }
  /** Scores from 0 to 1, by label. */
  | { readonly kind: 'labels'; readonly labels: Readonly<Record<string, number>> };

/** Position of a value on its scale, 0..1. */
export function shareOnScale([low, high]: Scale, value: number): number {
  return (value - low) / (high - low);
}

/** The value on a scale. @param share 0..1 */
export function valueOnScale([low, high]: Scale, share: number): number {
  return low + share * (high - low);
}

export function isFailure({ status }: { readonly status: Status }): boolean {
  return status === 'fail' || status === 'error';
}

/** Tolerates rounding errors: 0.1 + 0.2 must reach a threshold of 0.3. */
export function reaches(score: number, threshold: number): boolean {
  return score >= threshold - SCORE_EPSILON;
}

export type Aggregate = 'mean' | 'min';

/** Σ weight × score ÷ Σ weight, or the lowest score; null if no verdict has both a score and a weight. */
export function caseScore(
  verdicts: readonly Verdict[],
  aggregate: Aggregate = 'mean',
): number | null {
  const weighed = verdicts.flatMap(({ score, assertion: { weight } }) =>
    score === null || weight === 0 ? [] : [{ score, weight }],
  );
  if (weighed.length === 0) return null;
  if (aggregate === 'min') return Math.min(...weighed.map(({ score }) => score));
  const weights = weighed.reduce((sum, { weight }) => sum + weight, 0);
  return weighed.reduce((sum, { score, weight }) => sum + weight * score, 0) / weights;
}

/**
 * A `required` verdict that failed or couldn't be judged fails the case; otherwise, any error makes the case an error.
 * Otherwise, the score must reach the threshold or, if there is none, every verdict must pass. A case without scores is
 * skipped.
 *
 * @param stoppedEarly whether `stop_on_failure` ended it before its last turn, so that its other assertions have no
 * score
 */
export function caseStatus(
  verdicts: readonly Verdict[],
  threshold: number | undefined,
  aggregate: Aggregate = 'mean',
  stoppedEarly = false,
): Status {
  if (verdicts.some((one) => one.assertion.required && isFailure(one))) return 'fail';
  if (verdicts.some(({ status }) => status === 'error')) return 'error';
  const scored = verdicts.filter(({ score }) => score !== null);
  if (scored.length === 0) return 'skipped';
  const score = caseScore(scored, aggregate);
  // If all weights are 0, there is no mean, so each verdict counts.
  const passes =
    threshold === undefined || score === null
      ? scored.every(({ status }) => status === 'pass')
      : reaches(score, threshold);
  return passes && !stoppedEarly ? 'pass' : 'fail';
}

/** Whether a recorded `pass` or `skipped` contradicts the verdicts, as in a forged record. */
export function contradictsVerdicts(
  status: Status,
  verdicts: readonly Verdict[],
  threshold?: number,
): boolean {
  if (status === 'skipped') return verdicts.some((verdict) => verdict.status !== 'skipped');
  if (status !== 'pass') return false;
  // The mean is the most lenient aggregate, and a record doesn't say which was used.
  return caseStatus(verdicts, threshold) !== 'pass' || verdicts.some(isFalsePass);
}

function isFalsePass({ status, score, threshold, nested = [] }: Verdict): boolean {
  if (status !== 'pass') return false;
  return score === null || !reaches(score, threshold) || nested.some(failsItsGroup);
}

function failsItsGroup(verdict: Verdict): boolean {
  const { assertion, nested = [] } = verdict;
  return (assertion.required && isFailure(verdict)) || nested.some(failsItsGroup);
}

export interface TurnBadge {
  readonly status: Status;
  /** Mean score of the verdicts on this turn; null if there are none. */
  readonly score: number | null;
  readonly entries: readonly { readonly verdict: Verdict; readonly entry: TurnVerdict }[];
  readonly error?: string;
}

export function failedBadge(error: string): TurnBadge {
  return { status: 'error', score: null, entries: [], error };
}

/** Undefined if there is no verdict on the turn. */
export function turnBadge(verdicts: readonly Verdict[], turn: number): TurnBadge | undefined {
  return badgeOf(entriesByTurn(verdicts).get(turn) ?? []);
}

export function entriesByTurn(
  verdicts: readonly Verdict[],
): ReadonlyMap<number, TurnBadge['entries']> {
  const entries = verdicts.flatMap((verdict) => verdict.turns.map((entry) => ({ verdict, entry })));
  return groupBy(entries, ({ entry }) => entry.turn);
}

/** The badge's status is the worst verdict's status. */
export function badgeOf(entries: TurnBadge['entries']): TurnBadge | undefined {
  const status = WORST_FIRST.find((one) => entries.some(({ entry }) => entry.status === one));
  if (status === undefined) return undefined;
  const scores = entries.flatMap(({ entry }) => (entry.score === null ? [] : [entry.score]));
  return { status, score: mean(scores) ?? null, entries };
}
