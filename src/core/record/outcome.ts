import type { ComparedWords } from '../compared.ts';
import { type VerdictWords, verdictText } from '../presentation/verdictText.ts';
import type { Status } from '../verdict.ts';
import { combineVerdicts, rangeOf } from './repetitions.ts';

/** What a verdict came to, without what was asked and why. */
export interface Outcome {
  readonly status: Status;
  readonly score: number | null;
  readonly threshold: number;
  /** What the judge gave, where that is more than a score: a label, or a value on its own scale. */
  readonly label?: string | undefined;
  /** Of one without a score, a stable name such as `timeout`. */
  readonly reason?: string | undefined;
  /** Highest less lowest score of several samples, where they differ. */
  readonly spread?: number | undefined;
  /** Of several repetitions; the score is their mean. */
  readonly repeated?: RepeatedOutcome | undefined;
  /** Where two runs are compared; all else is of the second one, if it has it. */
  readonly compared?: ComparedWords | undefined;
}

export interface RepeatedOutcome {
  readonly passed: number;
  /** Of so many that came to an end. */
  readonly finished: number;
  /** Lowest and highest score, where they differ. */
  readonly range?: readonly [number, number] | undefined;
}

/** What an assertion came to over the repetitions of a case; a label where all of them have it. */
export function combineOutcomes(outcomes: readonly [Outcome, ...Outcome[]]): Outcome {
  const [first] = outcomes;
  if (outcomes.length === 1) return first;
  const { status, score } = combineVerdicts(outcomes);
  const { label, threshold } = first;
  const reason = outcomes.find((one) => one.status === status)?.reason;
  const passed = outcomes.filter((one) => one.status === 'pass').length;
  const range = rangeOf(outcomes);
  return {
    ...{ status, score, threshold },
    ...(label !== undefined && outcomes.every((one) => one.label === label) && { label }),
    ...(reason !== undefined && { reason }),
    repeated: { passed, finished: outcomes.length, ...(range && { range }) },
  };
}

/** @param verdict its `judge` says how far its samples differ */
export function outcomeOf(
  verdict: VerdictWords & { readonly judge?: { readonly spread: number | null } | undefined },
): Outcome {
  const { status, score, threshold, label, value, reason } = verdict;
  const spread = verdict.judge?.spread ?? 0;
  const isMore = label !== undefined || (value !== undefined && value !== score);
  return {
    status,
    score,
    threshold,
    ...(score !== null && isMore && { label: verdictText(verdict) }),
    ...(reason !== undefined && { reason }),
    ...(spread > 0 && { spread }),
  };
}
