import { type Interval, Z } from './interval.ts';

/**
 * The interval of a share, by Wilson's score; of nothing it is all from 0 to 1.
 * Wilson 1927, Journal of the American Statistical Association 22, 209–212.
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
