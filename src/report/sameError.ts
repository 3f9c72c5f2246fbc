import { groupBy } from '../core/data/data.ts';
import { counted } from '../core/presentation/amounts.ts';
import { executionTitle } from '../core/presentation/executionTitle.ts';
import type { CaseSummary } from '../core/record/caseSummary.ts';

const MOST_NAMES = 5;

/** Cases that the same error ended, such as those of an endpoint that is down: it is told of the first. */
export function bySameError(cases: readonly CaseSummary[]): [CaseSummary, ...CaseSummary[]][] {
  return [...groupBy(cases, (line) => errorOf(line) ?? executionTitle(line)).values()];
}

/** `The same error ended 497 more cases: b, c, d, e, f and 492 others.` */
export function sameErrorText(others: readonly CaseSummary[]): string[] {
  if (others.length === 0) return [];
  const names = others.slice(0, MOST_NAMES).map(executionTitle).join(', ');
  const left = others.length - MOST_NAMES;
  const rest = left > 0 ? ` and ${counted(left, 'other')}` : '';
  return [`The same error ended ${counted(others.length, 'more case')}: ${names}${rest}.`];
}

/** Undefined where something else went wrong too. */
function errorOf({ status, reason = '', verdicts }: CaseSummary): string | undefined {
  if (status !== 'error' || verdicts.some((verdict) => verdict.status === 'fail')) return undefined;
  const errors = verdicts.flatMap((one) => (one.status === 'error' ? [one.rationale] : []));
  return JSON.stringify([reason, ...new Set(errors)]);
}
