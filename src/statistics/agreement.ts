import { type Interval, Z } from './intervals.ts';

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

/** How often each of two outcomes was given where it, or the other, was right. */
export interface Confusion {
  /** Both say fail. */
  readonly failFail: number;
  /** The judge says fail and the people pass. */
  readonly failPass: number;
  readonly passFail: number;
  readonly passPass: number;
}

export interface Rates {
  /** Agreed ÷ all; null of nothing. */
  readonly accuracy: number | null;
  /** Of what the judge failed, the share that people fail too; null where it failed nothing. */
  readonly precision: number | null;
  /** Of what people fail, the share that the judge failed too; null where they fail nothing. */
  readonly recall: number | null;
}

/** @param pairs what the judge says and what is right */
export function confusionOf(
  pairs: Iterable<{ readonly judge: 'pass' | 'fail'; readonly people: 'pass' | 'fail' }>,
): Confusion {
  const counts = { failFail: 0, failPass: 0, passFail: 0, passPass: 0 };
  for (const { judge, people } of pairs) {
    counts[`${judge}${people === 'pass' ? 'Pass' : 'Fail'}`] += 1;
  }
  return counts;
}

/** Of fail, which is what a judge is asked to find. */
export function ratesOf({ failFail, failPass, passFail, passPass }: Confusion): Rates {
  const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);
  return {
    accuracy: share(failFail + passPass, failFail + failPass + passFail + passPass),
    precision: share(failFail, failFail + failPass),
    recall: share(failFail, failFail + passFail),
  };
}

/** Cohen's kappa of the judge and the people; undefined as of `cohenKappa`. */
export function kappaOf({ failFail, failPass, passFail, passPass }: Confusion): Kappa | undefined {
  return cohenKappa([
    [failFail, failPass],
    [passFail, passPass],
  ]);
}

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
