/**
 * How much of the standard normal distribution lies below `z`, to about 15 digits after the point.
 * Marsaglia 2004, Evaluating the Normal Distribution, Journal of Statistical Software 11 (4).
 */
export function normalBelow(z: number): number {
  if (Math.abs(z) > 8) return z < 0 ? 0 : 1;
  let [sum, term] = [z, z];
  for (let odd = 3; Math.abs(term) > 1e-17; odd += 2) {
    term *= (z * z) / odd;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}
