import type { ComparedWords } from '../compared.ts';
import { type VerdictWords, verdictText } from '../presentation/verdictText.ts';
import type { Status } from '../verdict.ts';

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
  /** Where two runs are compared; all else is of the second one, if it has it. */
  readonly compared?: ComparedWords | undefined;
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
