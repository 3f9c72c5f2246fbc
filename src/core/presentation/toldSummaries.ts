import type { AssertionSummary } from '../record/assertionSummary.ts';
import { counted } from './amounts.ts';

/** So many assertions are told each, whatever came of them. */
const MOST_TOLD = 100;

/** What is told of many assertions, and sentences about those that are left out. */
export interface ToldSummaries {
  readonly told: readonly AssertionSummary[];
  readonly more: readonly string[];
}

/** Where each of thousands of cases has sentences of its own, only those that did not all pass. */
export function toldSummaries(all: readonly AssertionSummary[]): ToldSummaries {
  if (all.length <= MOST_TOLD) return { told: all, more: [] };
  const bad = all.filter(({ failed, errored }) => failed > 0 || Object.keys(errored).length > 0);
  const told = bad.slice(0, MOST_TOLD);
  const more = (count: number, what: string) =>
    count > 0 ? [`${counted(count, 'more assertion')}${what}`] : [];
  return {
    told,
    more: [
      ...more(bad.length - told.length, ' that failed or errored'),
      ...more(all.length - bad.length, ', all passed or skipped'),
    ],
  };
}
