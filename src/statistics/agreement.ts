import { type Interval, sumOf, Z } from './intervals.ts';

export interface Kappa extends Interval {
  /** 1 for full agreement, 0 for agreement no better than chance. */
  readonly kappa: number;
}

/**
 * Cohen's kappa for two raters, with its large-sample interval: agreement beyond chance ÷ the maximum. Cohen 1960,
 * Educational and Psychological Measurement 20, 37–46; Fleiss, Cohen, and Everitt 1969, Psychological Bulletin 72,
 * 323–327.
 *
 * @param table counts of each pair of outcomes; rows for one rater, columns for the other
 * @returns undefined if both raters always give the same outcome, so that all agreement is due to chance
 */
export function cohenKappa(table: readonly (readonly number[])[]): Kappa | undefined {
  const n = sumOf(table.map(sumOf));
  const share = (row: number, column: number) => (table[row]?.[column] ?? 0) / n;
  const each = table.map((_, index) => index);
  const rows = each.map((row) => sumOf(each.map((column) => share(row, column))));
  const columns = each.map((column) => sumOf(each.map((row) => share(row, column))));
  const agreed = sumOf(each.map((one) => share(one, one)));
  const chance = sumOf(each.map((one) => (rows[one] ?? 0) * (columns[one] ?? 0)));
  if (n === 0 || 1 - chance < 1e-12) return undefined;
  const kappa = (agreed - chance) / (1 - chance);
  const terms = each.flatMap((row) =>
    each.map((column) => {
      const margins = (columns[row] ?? 0) + (rows[column] ?? 0);
      const weight = row === column ? 1 - margins * (1 - kappa) : margins * (1 - kappa);
      return share(row, column) * weight ** 2;
    }),
  );
  const variance = (sumOf(terms) - (kappa - chance * (1 - kappa)) ** 2) / (n * (1 - chance) ** 2);
  const half = Z * Math.sqrt(Math.max(0, variance));
  return { kappa, low: Math.max(-1, kappa - half), high: Math.min(1, kappa + half) };
}

/** Counts of verdicts by what the judge and people decided. */
export interface Confusion {
  /** Both failed it. */
  readonly failFail: number;
  /** The judge failed it, and people passed it. */
  readonly failPass: number;
  readonly passFail: number;
  readonly passPass: number;
}

export interface Rates {
  /** Agreed ÷ all; null if there are none. */
  readonly accuracy: number | null;
  /** Share of the judge's failures that people failed, too; null if the judge failed nothing. */
  readonly precision: number | null;
  /** Share of people's failures that the judge failed, too; null if people failed nothing. */
  readonly recall: number | null;
}

export function confusionOf(
  pairs: Iterable<{ readonly judge: 'pass' | 'fail'; readonly people: 'pass' | 'fail' }>,
): Confusion {
  const counts = { failFail: 0, failPass: 0, passFail: 0, passPass: 0 };
  for (const { judge, people } of pairs) {
    counts[`${judge}${people === 'pass' ? 'Pass' : 'Fail'}`] += 1;
  }
  return counts;
}

/** Calculates the rates. Precision and recall are for "fail". */
export function ratesOf({ failFail, failPass, passFail, passPass }: Confusion): Rates {
  const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);
  return {
    accuracy: share(failFail + passPass, failFail + failPass + passFail + passPass),
    precision: share(failFail, failFail + failPass),
    recall: share(failFail, failFail + passFail),
  };
}

/** Undefined if `cohenKappa` is. */
export function kappaOf({ failFail, failPass, passFail, passPass }: Confusion): Kappa | undefined {
  return cohenKappa([
    [failFail, failPass],
    [passFail, passPass],
  ]);
}

/**
 * Krippendorff's alpha for any number of raters and nominal outcomes: 1 − observed ÷ expected disagreement. Units with
 * fewer than two ratings don't count. Krippendorff 2011, Computing Krippendorff's Alpha-Reliability,
 * https://repository.upenn.edu/asc_papers/43
 *
 * @param units the ratings of each unit, in any order
 * @returns undefined if there is nothing to compare or only one outcome
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
  const expected = sumOf([...totals.values()].map((count) => count * (all - count)));
  if (expected === 0) return undefined;
  return 1 - ((all - 1) * observed) / expected;
}
