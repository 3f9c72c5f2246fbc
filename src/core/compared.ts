/**
 * What became of a case or an assertion from one run to another. `undecided`: one of the runs could not judge it,
 * or it did not apply there, so that nothing can be said; an error never counts as unchanged.
 */
export const OUTCOMES = ['worse', 'better', 'undecided', 'unchanged', 'new', 'gone'] as const;

export type ComparedOutcome = (typeof OUTCOMES)[number];

/** A case or an assertion in two runs, as a table tells it. */
export interface ComparedWords {
  readonly change: ComparedOutcome;
  /** Of a cell: `✓ 1.00 → ✗ 0.40`. */
  readonly shown: string;
  /** The same as a person says it. */
  readonly spoken: string;
}
