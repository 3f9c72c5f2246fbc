/**
 * Each p of several tests, raised so that the chance of any false finding among all with at most α is at most α.
 * Holm 1979, Scandinavian Journal of Statistics 6, 65–70.
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
