import * as z from 'zod';
import { ReasonedError } from '../../core/reasonedError.ts';
import type { UnscoredVerdict } from '../../core/verdict.ts';
import type { Nesting } from '../contract.ts';

/** The keys of a group, given the schema of an assertion. */
export function groupParams(assertion: z.ZodType) {
  return z.strictObject({
    assert: z.array(assertion).min(1).meta({
      description: 'The assertions that decide; `at` of the group holds where they name none.',
    }),
  });
}

export const groupNesting: Nesting = {
  params: groupParams,
  places: ({ assert }) =>
    Array.isArray(assert) ? assert.map((_one, index) => ['assert', index]) : [],
};

/** An assertion that decides another could not be judged. */
export class NestedError extends ReasonedError<string> {
  override readonly name = 'NestedError';
  readonly verdict: UnscoredVerdict;

  constructor(verdict: UnscoredVerdict) {
    super(verdict.reason, `“${verdict.assertion.name}” could not be judged: ${verdict.rationale}`);
    this.verdict = verdict;
  }
}
