/** From `low` to `high`; each covers the true value in 95 of 100 experiments. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** How often intervals cover the true value. */
export const COVERAGE = 0.95;

/** Of the standard normal distribution, what lies within ± this is `COVERAGE`. */
export const Z = 1.959963984540054;
