import { type Interval, Z } from './interval.ts';

export interface Kappa extends Interval {
  /** 1 where all agree, 0 where no more do than by chance. */
  readonly kappa: number;
}

/**
 * Cohen's kappa of two raters with its interval: agreement beyond chance ÷ the most there could be.
 * Cohen 1960, Educational and Psychological Measurement 20, 37–46. The interval is that of large samples: Fleiss,
 * Cohen and Everitt 1969, Psychological Bulletin 72, 323–327.
 *
 * @param table how often each pair of outcomes was given; rows are one rater's, columns the other's
 * @returns undefined where both always say the same one thing, or nothing: chance alone agrees
 */
export function cohenKappa(table: readonly (readonly number[])[]): Kappa | undefined {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const n = sum(table.map(sum));
  const share = (row: number, column: number) => (table[row]?.[column] ?? 0) / n;
  const each = table.map((_, index) => index);
  const rows = each.map((row) => sum(each.map((column) => share(row, column))));
  const columns = each.map((column) => sum(each.map((row) => share(row, column))));
  const agreed = sum(each.map((one) => share(one, one)));
  const chance = sum(each.map((one) => (rows[one] ?? 0) * (columns[one] ?? 0)));
  if (n === 0 || 1 - chance < 1e-12) return undefined;
  const kappa = (agreed - chance) / (1 - chance);
  const terms = each.flatMap((row) =>
    each.map((column) => {
      const margins = (columns[row] ?? 0) + (rows[column] ?? 0);
      const weight = row === column ? 1 - margins * (1 - kappa) : margins * (1 - kappa);
      return share(row, column) * weight ** 2;
    }),
  );
  const variance = (sum(terms) - (kappa - chance * (1 - kappa)) ** 2) / (n * (1 - chance) ** 2);
  const half = Z * Math.sqrt(Math.max(0, variance));
  return { kappa, low: Math.max(-1, kappa - half), high: Math.min(1, kappa + half) };
}
