import type { Status, TurnVerdict, Verdict } from './verdict.ts';

/** Arithmetic mean; undefined of nothing, so that no empty mean can read as a score. */
export function mean(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Lowest and highest value, such as 1 and 5. */
export type Scale = readonly [low: number, high: number];

/** Where a value stands on its scale, 0..1. */
export function shareOn([low, high]: Scale, value: number): number {
  return (value - low) / (high - low);
}

/** The value on a scale. @param share 0..1 */
export function valueOn([low, high]: Scale, share: number): number {
  return low + share * (high - low);
}

/** 0.1 + 0.2 must reach a threshold of 0.3. */
const TOLERANCE = 1e-9;

export function reaches(score: number, threshold: number): boolean {
  return score >= threshold - TOLERANCE;
}

/** Σ weight × score ÷ Σ weight over the verdicts that passed or failed; null where none did. */
export function caseScore(verdicts: readonly Verdict[]): number | null {
  let sum = 0;
  let weights = 0;
  for (const { score, assertion } of verdicts) {
    if (score === null) continue;
    sum += assertion.weight * score;
    weights += assertion.weight;
  }
  return weights === 0 ? null : sum / weights;
}

/**
 * A case's status. In this order: a `required` verdict that failed, or could not be judged, fails
 * it; an error makes it an error; without a threshold every verdict must pass, with one the score
 * must reach it. Where nothing was scored the case is skipped: nothing checked never passes.
 */
export function caseStatus(verdicts: readonly Verdict[], threshold: number | undefined): Status {
  const gated = verdicts.filter(({ assertion }) => assertion.required);
  if (gated.some(({ status }) => status === 'fail' || status === 'error')) return 'fail';
  if (verdicts.some(({ status }) => status === 'error')) return 'error';
  const scored = verdicts.filter(({ score }) => score !== null);
  if (scored.length === 0) return 'skipped';
  if (threshold === undefined) {
    return scored.every(({ status }) => status === 'pass') ? 'pass' : 'fail';
  }
  const score = caseScore(scored);
  // Weights of 0 alone leave no mean: then each verdict speaks for itself.
  if (score === null) return scored.every(({ status }) => status === 'pass') ? 'pass' : 'fail';
  return reaches(score, threshold) ? 'pass' : 'fail';
}

export interface TurnBadge {
  readonly status: Status;
  /** Mean of the scores that verdicts gave this turn; null where none did. */
  readonly score: number | null;
  readonly entries: readonly { readonly verdict: Verdict; readonly entry: TurnVerdict }[];
}

const WORST: readonly Status[] = ['fail', 'error', 'pass', 'skipped'];

/** A turn's badge: its worst verdict. Undefined where no assertion spoke about the turn. */
export function turnBadge(verdicts: readonly Verdict[], turn: number): TurnBadge | undefined {
  return badgeOf(
    verdicts.flatMap((verdict) =>
      verdict.turns.filter((entry) => entry.turn === turn).map((entry) => ({ verdict, entry })),
    ),
  );
}

/** What assertions said about each turn, by its number. */
export function entriesByTurn(
  verdicts: readonly Verdict[],
): ReadonlyMap<number, TurnBadge['entries']> {
  const entries = new Map<number, { verdict: Verdict; entry: TurnVerdict }[]>();
  for (const verdict of verdicts) {
    for (const entry of verdict.turns) {
      const said = entries.get(entry.turn) ?? [];
      said.push({ verdict, entry });
      entries.set(entry.turn, said);
    }
  }
  return entries;
}

export function badgeOf(entries: TurnBadge['entries']): TurnBadge | undefined {
  const status = WORST.find((candidate) => entries.some(({ entry }) => entry.status === candidate));
  if (status === undefined) return undefined;
  const scores = entries.flatMap(({ entry }) => (entry.score === null ? [] : [entry.score]));
  return { status, score: mean(scores) ?? null, entries };
}
