import type { CaseLine } from '../record/runRecord.ts';
import { reaches, type TurnBadge, valueOnScale } from '../scoring.ts';
import type { Verdict } from '../verdict.ts';

/** Decimal places. Scores that differ only in the ninth place look the same. */
const MIN_DIGITS = 2;
const MAX_DIGITS = 9;

/**
 * Two decimal places, or more if two would show a score on the wrong side of a threshold: 0.997 is `0.997` and not
 * `1.00`. Nothing below 1 reads as 1.
 */
export function scoreText(score: number, ...thresholds: readonly number[]): string {
  return score.toFixed(digitsApart(score, [1, ...thresholds]));
}

export function badgeScoreText({ score, entries }: TurnBadge): string | undefined {
  if (score === null) return undefined;
  return scoreText(score, ...entries.map(({ verdict }) => verdict.threshold));
}

/** On the scale of the verdict's value: `0.50`, `0.995`, `3 of 1–5`. */
export function thresholdText(given: Pick<Verdict, 'threshold' | 'scale'>): string {
  const limit = shortest(limitOf(given), MAX_DIGITS);
  if (given.scale) return `${limit} of ${given.scale.join('–')}`;
  const [, digits = ''] = limit.split('.');
  return given.threshold.toFixed(Math.max(MIN_DIGITS, digits.length));
}

/** A verdict's value: at most two decimal places, or more if two would show it on the wrong side of the threshold. */
export function valueText(value: number, given: Pick<Verdict, 'threshold' | 'scale'>): string {
  return shortest(value, digitsApart(value, [limitOf(given)]));
}

interface ScoredCase extends Pick<CaseLine, 'score' | 'threshold'> {
  readonly status?: CaseLine['status'] | undefined;
  readonly verdicts: readonly Pick<Verdict, 'threshold'>[];
}

/** A case's score as text. If the case has no threshold, the verdicts' thresholds determine how it is rounded. */
export function caseScoreText({ status, score, threshold, verdicts }: ScoredCase) {
  // Records from earlier versions have a score for errored cases.
  if (score === null || status === 'error') return undefined;
  const own = threshold === undefined ? verdicts.map((one) => one.threshold) : [threshold];
  return scoreText(score, ...own);
}

/** `Score 0.70 is below the threshold 0.80.` */
export function thresholdSentence(score: number, threshold: number): string {
  const relation = reaches(score, threshold) ? 'reaches' : 'is below';
  return `Score ${scoreText(score, threshold)} ${relation} the threshold ${thresholdText({ threshold })}.`;
}

function limitOf({ threshold, scale = [0, 1] }: Pick<Verdict, 'threshold' | 'scale'>) {
  return valueOnScale(scale, threshold);
}

/** Number of decimal places needed to show a number on the correct side of each limit. */
function digitsApart(value: number, limits: readonly number[]): number {
  let digits = MIN_DIGITS;
  const misleads = (limit: number) =>
    reaches(Number(value.toFixed(digits)), limit) !== reaches(value, limit);
  while (digits < MAX_DIGITS && limits.some(misleads)) digits += 1;
  return digits;
}

/** A number without trailing zeros. */
function shortest(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}
