import type { Verdict } from '../verdict.ts';
import type { CaseLine } from './runRecord.ts';

type Without<Union, Keys extends PropertyKey> = Union extends unknown ? Omit<Union, Keys> : never;

/** A verdict without what stands behind it. */
export type VerdictSummary = Without<
  Verdict,
  'rationale' | 'turns' | 'hits' | 'misses' | 'details' | 'nested' | 'question_hash'
> & {
  /** Why it could not be judged, if so. */
  readonly rationale?: string;
};

/** A case's line without what was said and why: what stays in memory, however many cases there are. */
export type CaseSummary = Omit<CaseLine, 'conversation' | 'facts' | 'verdicts'> & {
  readonly verdicts: readonly VerdictSummary[];
};

export function summaryOf(line: CaseLine): CaseSummary {
  const { conversation: _said, facts: _facts, verdicts, ...rest } = line;
  return { ...rest, verdicts: verdicts.map(verdictSummary) };
}

function verdictSummary(verdict: Verdict): VerdictSummary {
  const { rationale, turns, hits, misses, details, nested, question_hash, ...rest } = verdict;
  return verdict.status === 'error' ? { ...rest, rationale } : rest;
}
