import { type Interval, Z } from './interval.ts';

/**
 * McNemar's exact test of pairs of two outcomes: how likely pairs that changed split so unevenly, or more so,
 * if either direction is as likely. Twice the lower tail of the binomial distribution of ½, at most 1.
 * McNemar 1947, Psychometrika 12, 153–157.
 *
 * @param worse pairs that passed and then failed
 * @param better pairs that failed and then passed
 * @returns p of both sides
 */
export function mcnemar(worse: number, better: number): number {
  const changed = worse + better;
  let log = -changed * Math.LN2;
  let tail = 0;
  for (let count = 0; count <= Math.min(worse, better); count += 1) {
    tail += Math.exp(log);
    log += Math.log((changed - count) / (count + 1));
  }
  return Math.min(1, 2 * tail);
}

/**
 * The interval of the change of a share over pairs, with a pair more in each direction so that it has a width
 * where none changed. Bonett and Price 2012, Journal of Educational and Behavioral Statistics 37, 479–488.
 *
 * @param pairs how many there are, unchanged ones included; at least 1
 */
export function changeOfShare(worse: number, better: number, pairs: number): Interval {
  const [down, up] = [(worse + 1) / (pairs + 2), (better + 1) / (pairs + 2)];
  const half = Z * Math.sqrt((up + down - (up - down) ** 2) / (pairs + 2));
  return { low: Math.max(-1, up - down - half), high: Math.min(1, up - down + half) };
}

/**
 * As few pairs, all changed in one direction, give a p of at most `alpha` by either test of pairs.
 *
 * @param alpha above 0
 */
export function fewestChanges(alpha: number): number {
  return Math.ceil(Math.log2(2 / alpha) - 1e-9);
}
