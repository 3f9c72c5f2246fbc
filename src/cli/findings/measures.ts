/** What agreement is measured by. */
export const MEASURES = ['kappa', 'accuracy', 'precision', 'recall', 'alpha'] as const;

/** What a judge must reach: `kappa` and 0.7. */
export interface Least {
  readonly measure: (typeof MEASURES)[number];
  readonly value: number;
}
