import { type Interval, sumOf, Z } from './intervals.ts';

/**
 * McNemar's exact test for pairs with two outcomes: twice the lower tail of the binomial distribution with p = ½, at
 * most 1. McNemar 1947, Psychometrika 12, 153–157.
 *
 * @param worse number of pairs that passed, then failed
 * @param better number of pairs that failed, then passed
 * @returns two-sided p
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
 * The interval for the change in a share across pairs, with one more pair in each direction so that its width is never
 * 0. Bonett and Price 2012, Journal of Educational and Behavioral Statistics 37, 479–488.
 *
 * @param pairs number of pairs, including unchanged ones; at least 1
 */
export function changeInterval(worse: number, better: number, pairs: number): Interval {
  const [down, up] = [(worse + 1) / (pairs + 2), (better + 1) / (pairs + 2)];
  const half = Z * Math.sqrt((up + down - (up - down) ** 2) / (pairs + 2));
  return { low: Math.max(-1, up - down - half), high: Math.min(1, up - down + half) };
}

/** Minimum number of pairs that must change, all in the same direction, for p ≤ `alpha`, which is above 0. */
export function minimumChanges(alpha: number): number {
  return Math.ceil(Math.log2(2 / alpha) - 1e-9);
}

/** For up to this many differences, the exact distribution is used; beyond that, the normal distribution. */
const MAX_EXACT = 50;

/** Differences that are closer together than this are tied. */
const TIE_TOLERANCE = 1e-12;

/**
 * Wilcoxon's signed-rank test for pairs. Differences of 0 are excluded, and ties share their mean rank. Exact for up to
 * 50 differences; otherwise, uses the normal distribution with variance corrected for ties and no continuity correction.
 * Wilcoxon 1945, Biometrics Bulletin 1, 80–83; Hollander and Wolfe 1973, Nonparametric Statistical Methods, 27–33.
 *
 * @returns two-sided p; 1 without differences
 */
export function wilcoxon(differences: readonly number[]): number {
  const sorted = differences
    .filter((one) => Math.abs(one) > TIE_TOLERANCE)
    .sort((a, b) => Math.abs(a) - Math.abs(b));
  const ranks = doubledRanks(sorted);
  const above = sumOf(ranks.filter((_, index) => (sorted[index] ?? 0) > 0));
  const all = sumOf(ranks);
  const lesser = Math.min(above, all - above);
  if (ranks.length <= MAX_EXACT) return Math.min(1, 2 * shareOfSums(ranks, lesser));
  const squares = sumOf(ranks.map((rank) => rank * rank));
  return Math.min(1, 2 * normalCdf((lesser - all / 2) / Math.sqrt(squares / 4)));
}

/** Each rank doubled, so that mean ranks are integers. */
function doubledRanks(sorted: readonly number[]): number[] {
  const ranks: number[] = [];
  while (ranks.length < sorted.length) {
    const first = ranks.length;
    const size = Math.abs(sorted[first] ?? 0);
    let end = first + 1;
    while (end < sorted.length && Math.abs(sorted[end] ?? 0) - size <= TIE_TOLERANCE) end += 1;
    for (let index = first; index < end; index += 1) ranks.push(first + end + 1);
  }
  return ranks;
}

/** The share of all subsets of the ranks whose sum is at most `most`. */
function shareOfSums(ranks: readonly number[], most: number): number {
  let shares = new Float64Array(most + 1);
  shares[0] = 1;
  for (const rank of ranks) {
    shares = shares.map((share, sum) => (share + (shares[sum - rank] ?? 0)) / 2);
  }
  return sumOf(shares);
}

/**
 * The standard normal cumulative distribution function, to about 15 decimals.
 * Marsaglia 2004, Evaluating the Normal Distribution, Journal of Statistical Software 11 (4).
 */
export function normalCdf(z: number): number {
  if (Math.abs(z) > 8) return z < 0 ? 0 : 1;
  let [sum, term] = [z, z];
  for (let odd = 3; Math.abs(term) > 1e-17; odd += 2) {
    term *= (z * z) / odd;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}

/**
 * Holm's correction for the p values of several tests. Holm 1979, Scandinavian Journal of Statistics 6, 65–70.
 */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  const adjusted = Array.from(ps, () => 1);
  let highest = 0;
  for (const [rank, { p, index }] of order.entries()) {
    highest = Math.max(highest, Math.min(1, p * (ps.length - rank)));
    adjusted[index] = highest;
  }
  return adjusted;
}
