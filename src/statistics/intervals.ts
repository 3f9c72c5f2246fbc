/** A 95% confidence interval. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The confidence level of the intervals. */
const COVERAGE = 0.95;

/** This many standard deviations on either side of the mean cover `COVERAGE` of a normal distribution. */
export const Z = 1.959963984540054;

export function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/**
 * Wilson's score interval for a share; 0 to 1 if `total` is 0. Wilson 1927, Journal of the American Statistical
 * Association 22, 209–212.
 *
 * @param hits whole, at most `total`
 */
export function wilson(hits: number, total: number): Interval {
  if (total === 0) return { low: 0, high: 1 };
  const share = hits / total;
  const square = Z * Z;
  const middle = share + square / (2 * total);
  const half = Z * Math.sqrt((share * (1 - share)) / total + square / (4 * total * total));
  const scale = 1 + square / total;
  return {
    low: hits === 0 ? 0 : (middle - half) / scale,
    high: hits === total ? 1 : (middle + half) / scale,
  };
}

/**
 * The bootstrap percentile interval for a mean. For pairs, the values are their differences. Yields after each
 * resample, because resampling 10,000 values takes a while. Efron and Tibshirani 1993, An Introduction to the
 * Bootstrap, chapter 13.
 *
 * @param values at least 1
 * @param seed the same seed gives the same interval
 */
export function* bootstrap(
  values: readonly number[],
  seed = 1,
  resamples = 2_000,
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

/** The value at a share of a sorted list, by linear interpolation. */
function quantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return below + (above - below) * (place - Math.floor(place));
}

/**
 * A generator of numbers from 0 up to but not including 1, using mulberry32, a 32-bit generator by Tommy Ettinger.
 *
 * @param seed an integer; the same seed gives the same numbers
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
