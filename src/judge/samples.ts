import type { Finding, Outcome } from '../assertions/contract.ts';
import { median, reaches } from '../core/scoring.ts';
import { statusWithScore, type TurnVerdict } from '../core/verdict.ts';

export interface CombinedSamples {
  readonly outcome: Outcome;
  readonly samples: number;
  /** Highest minus lowest score; null if there are fewer than two scores. */
  readonly spread: number | null;
  /** Whether some samples pass and others don't. */
  readonly unstable: boolean;
}

/**
 * Combines outcomes into one: the median score, the majority's label, and, for each turn, the majority's status and the
 * median score. Rationales and quotes are from the sample whose score is closest to the median.
 *
 * @param outcomes at least one
 */
export function combineSamples(outcomes: readonly Outcome[], threshold: number): CombinedSamples {
  const [first] = outcomes;
  if (!first) throw new Error('There are no samples.');
  const samples = outcomes.length;
  if (samples === 1) return { outcome: first, samples, spread: null, unstable: false };
  const scored = outcomes.filter((one) => one.kind === 'scored');
  const skipped = outcomes.find(({ kind }) => kind === 'skipped');
  if (skipped && scored.length * 2 < samples) {
    return { outcome: skipped, samples, spread: null, unstable: scored.length > 0 };
  }
  const scores = scored.map(({ score }) => score);
  const passing = scores.filter((score) => reaches(score, threshold)).length;
  return {
    outcome: combineFindings(scored, threshold),
    samples,
    spread: scores.length < 2 ? null : Math.max(...scores) - Math.min(...scores),
    unstable: (passing > 0 && passing < scores.length) || skipped !== undefined,
  };
}

function combineFindings(scored: readonly Finding[], threshold: number): Finding {
  const score = median(scored.map((one) => one.score)) ?? 0;
  const nearest = nearestTo(score, scored);
  const { label: _label, value: _value, ...rest } = nearest;
  // The label must match the outcome: at a threshold of 1, half yes and half no isn't yes.
  const passes = reaches(score, threshold);
  const agreeing = scored.filter((one) => reaches(one.score, threshold) === passes);
  const { label: tie } = agreeing.includes(nearest) ? nearest : (agreeing[0] ?? nearest);
  const label = majority(scored, (one) => one.label, tie);
  const numbers = scored.flatMap(({ value }) => (typeof value === 'number' ? [value] : []));
  const value =
    numbers.length === scored.length
      ? median(numbers)
      : majority(scored, (one) => one.value, nearest.value);
  return {
    ...rest,
    score,
    ...(label !== undefined && { label }),
    ...(value !== undefined && { value }),
    turns: nearest.turns.map((entry) => combineTurn(entry, scored)),
    details: {
      ...nearest.details,
      samples: scored.map((one) => ({ score: one.score, label: one.label ?? null })),
    },
  };
}

/** The sample whose score is closest to the median. If there are several, the one that agrees most with the others. */
function nearestTo(score: number, scored: readonly Finding[]): Finding {
  const distance = (one: Finding) => Math.abs(one.score - score);
  const least = Math.min(...scored.map(distance));
  const agreement = (one: Finding) =>
    one.turns.reduce((sum, entry) => sum + countAgreeing(entry, scored), 0);
  return scored
    .filter((one) => distance(one) <= least)
    .reduce((best, one) => (agreement(one) > agreement(best) ? one : best));
}

function countAgreeing({ turn, status }: TurnVerdict, scored: readonly Finding[]): number {
  return scored.filter(({ turns }) =>
    turns.some((one) => one.turn === turn && one.status === status),
  ).length;
}

function combineTurn(nearest: TurnVerdict, scored: readonly Finding[]): TurnVerdict {
  const entries = scored.flatMap(({ turns }) => turns.filter(({ turn }) => turn === nearest.turn));
  const status = majority(entries, (entry) => entry.status, nearest.status);
  const same = nearest.status === status ? nearest : entries.find((one) => one.status === status);
  const scores = entries.flatMap(({ score }) => (score === null ? [] : [score]));
  return { ...(same ?? nearest), ...statusWithScore(status, median(scores) ?? 0) };
}

/** The most frequent value; `tie` if another value is equally frequent. */
function majority<Item, Value>(
  items: readonly Item[],
  pick: (item: Item) => Value,
  tie: Value,
): Value {
  const values = items.map(pick);
  const count = (value: Value) => values.filter((one) => one === value).length;
  const most = Math.max(...values.map(count));
  return count(tie) === most ? tie : (values.find((value) => count(value) === most) ?? tie);
}
