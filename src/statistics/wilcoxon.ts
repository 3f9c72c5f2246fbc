import { normalBelow } from './normal.ts';

/** Up to here the distribution is counted out; beyond, it is as good as normal. */
const EXACT = 50;

/** Differences that are closer are tied. */
const TIED = 1e-12;

/**
 * Wilcoxon's signed-rank test of pairs: how likely their differences are so one-sided, or more so, if they are
 * symmetric about 0. Differences of 0 are left out, and ties share their mean rank. Exact for up to 50
 * differences, by the sums of ranks over all choices of signs; else by the normal distribution with the
 * variance corrected for ties, without a correction for continuity.
 * Wilcoxon 1945, Biometrics Bulletin 1, 80–83; Hollander and Wolfe 1973, Nonparametric Statistical Methods, 27–33.
 *
 * @returns p of both sides; 1 where nothing differs
 */
export function wilcoxon(differences: readonly number[]): number {
  const sorted = differences
    .filter((one) => Math.abs(one) > TIED)
    .sort((a, b) => Math.abs(a) - Math.abs(b));
  const ranks = doubledRanks(sorted);
  const above = ranks.reduce(
    (sum, rank, index) => ((sorted[index] ?? 0) > 0 ? sum + rank : sum),
    0,
  );
  const all = ranks.reduce((sum, rank) => sum + rank, 0);
  const lesser = Math.min(above, all - above);
  if (ranks.length <= EXACT) return Math.min(1, 2 * shareOfSums(ranks, lesser));
  const squares = ranks.reduce((sum, rank) => sum + rank * rank, 0);
  return Math.min(1, 2 * normalBelow((lesser - all / 2) / Math.sqrt(squares / 4)));
}

/** Twice the rank of each, so that a mean rank is whole. */
function doubledRanks(sorted: readonly number[]): number[] {
  const ranks: number[] = [];
  while (ranks.length < sorted.length) {
    const first = ranks.length;
    const size = Math.abs(sorted[first] ?? 0);
    let end = first + 1;
    while (end < sorted.length && Math.abs(sorted[end] ?? 0) - size <= TIED) end += 1;
    for (let index = first; index < end; index += 1) ranks.push(first + end + 1);
  }
  return ranks;
}

/** Of all choices of some of the ranks, the share with a sum of at most `most`. */
function shareOfSums(ranks: readonly number[], most: number): number {
  let shares = new Float64Array(most + 1);
  shares[0] = 1;
  for (const rank of ranks) {
    shares = shares.map(
      (share, sum) => (share + (sum >= rank ? (shares[sum - rank] ?? 0) : 0)) / 2,
    );
  }
  return shares.reduce((sum, share) => sum + share, 0);
}
