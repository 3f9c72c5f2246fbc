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
  /** Where two runs are compared; all else is of the second one, if it has it. */
  readonly compared?: ComparedWords | undefined;
}

export function outcomeOf(verdict: VerdictWords): Outcome {
  const { status, score, threshold, label, value, reason } = verdict;
  const isMore = label !== undefined || (value !== undefined && value !== score);
  return {
    status,
    score,
    threshold,
    ...(score !== null && isMore && { label: verdictText(verdict) }),
    ...(reason !== undefined && { reason }),
  };
}
