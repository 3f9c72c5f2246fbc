import * as z from 'zod';
import { ReasonedError } from '../../core/errors.ts';
import type { UnscoredVerdict } from '../../core/verdict.ts';
import type { GroupType } from '../contract.ts';

/** The keys of a group, given the schema of an assertion. */
function groupParams(assertion: z.ZodType) {
  return z.strictObject({
    assert: z.array(assertion).min(1).meta({
      description:
        "The nested assertions. They inherit the group's `at` unless they set their own.",
    }),
  });
}

interface Group extends Pick<GroupType, 'type' | 'summary' | 'docs' | 'defaultThreshold'> {
  /** What assertions of these weights are worth together. */
  worth(weights: readonly number[]): number;
}

/** A group. Score: worth of the assertions that pass ÷ worth of all. */
export function groupType({ worth, ...type }: Group): GroupType {
  return {
    kind: 'group',
    ...type,
    params: groupParams(z.unknown()),
    nesting: {
      params: groupParams,
      places: ({ assert }) =>
        Array.isArray(assert) ? assert.map((_one, index) => ['assert', index]) : [],
    },
    side: 'both',
    score(verdicts) {
      // Weights of 0 alone: each counts the same.
      const weightless = verdicts.every(({ assertion }) => assertion.weight === 0);
      const of = (some: typeof verdicts) =>
        worth(some.map(({ assertion }) => (weightless ? 1 : assertion.weight)));
      return of(verdicts.filter(({ status }) => status === 'pass')) / of(verdicts);
    },
  };
}

/** An assertion that decides another could not be judged. */
export class NestedError extends ReasonedError<string> {
  override readonly name = 'NestedError';
  readonly verdict: UnscoredVerdict;

  constructor(verdict: UnscoredVerdict) {
    super(verdict.reason, `“${verdict.assertion.name}” could not be judged: ${verdict.rationale}`);
    this.verdict = verdict;
  }
}
