import { COVERAGE, type Interval } from './interval.ts';
import { seededRandom } from './random.ts';

const RESAMPLES = 2_000;

/**
 * The interval of a mean, by the percentiles of the means of samples drawn from the values with replacement. Of
 * pairs, the values are their differences, so that a pair is drawn as a whole. It may rest after each sample, since
 * those of 10,000 values take a while.
 * Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13.
 *
 * @param values at least 1
 * @param seed the same seed gives the same interval
 */
export function* bootstrap(
  values: readonly number[],
  seed = 1,
  resamples = RESAMPLES,
): Generator<undefined, Interval> {
  const random = seededRandom(seed);
  const { length } = values;
  const given = Float64Array.from(values);
  const means = new Float64Array(resamples);
  for (let sample = 0; sample < resamples; sample += 1) {
    let sum = 0;
    for (let drawn = 0; drawn < length; drawn += 1) {
      sum += given[Math.floor(random() * length)] as number;
    }
    means[sample] = sum / length;
    yield;
  }
  means.sort();
  const rest = (1 - COVERAGE) / 2;
  return { low: quantile(means, rest), high: quantile(means, 1 - rest) };
}

/** Between two values, as far as the place lies between them. */
function quantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return below + (above - below) * (place - Math.floor(place));
}
