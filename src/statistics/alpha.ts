/**
 * Krippendorff's alpha of any number of raters, for outcomes without an order: 1 − observed ÷ expected
 * disagreement. A thing that fewer than two of them rated does not count.
 * Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, https://repository.upenn.edu/asc_papers/43
 *
 * @param units of each thing the outcomes that it was given, in any order; who did not rate it is left out
 * @returns undefined where there is nothing to compare, or only one outcome
 */
export function krippendorffAlpha(units: Iterable<readonly string[]>): number | undefined {
  const totals = new Map<string, number>();
  let all = 0;
  let observed = 0;
  for (const given of units) {
    if (given.length < 2) continue;
    const counts = new Map<string, number>();
    for (const one of given) counts.set(one, (counts.get(one) ?? 0) + 1);
    for (const [outcome, count] of counts) {
      totals.set(outcome, (totals.get(outcome) ?? 0) + count);
      observed += (count * (given.length - count)) / (given.length - 1);
    }
    all += given.length;
  }
  const expected = [...totals.values()].reduce((sum, count) => sum + count * (all - count), 0);
  if (expected === 0) return undefined;
  return 1 - ((all - 1) * observed) / expected;
}
