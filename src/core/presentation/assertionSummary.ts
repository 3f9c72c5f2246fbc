import { groupBy } from '../data/data.ts';
import type { CaseSummary } from '../record/runRecord.ts';
import { mean } from '../scoring.ts';
import { counted } from '../text/format.ts';
import { type VerdictResult, verdictResultOf } from './verdictResult.ts';

export interface AssertionSummary {
  /** The suite as recorded; absent if the summary covers several suites. */
  readonly suite?: string;
  readonly name: string;
  /** Mean score of the verdicts that passed or failed; null if none did. */
  readonly mean: number | null;
  /** The verdicts' thresholds; more than one if cases differ. */
  readonly thresholds: readonly number[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Number of verdicts that couldn't be judged, by reason. */
  readonly errored: Readonly<Record<string, number>>;
  /** How often each label or value was given; empty if there are only scores. */
  readonly values: Readonly<Record<string, number>>;
}

/** Summaries by suite and name, in the order of the cases. */
export function summariesBySuite(cases: readonly CaseSummary[]): AssertionSummary[] {
  return [...groupBy(cases, ({ suite }) => suite)].flatMap(([suite, lines]) =>
    summaries(lines).map((one) => ({ suite, ...one })),
  );
}

/** Grouped by name, across all suites. */
export function summaries(cases: readonly CaseSummary[]): AssertionSummary[] {
  const verdicts = cases.flatMap((line) => line.verdicts);
  return [...groupBy(verdicts, ({ assertion }) => assertion.name)].map(([name, verdicts]) =>
    assertionSummary(name, verdicts.map(verdictResultOf)),
  );
}

export function assertionSummary(
  name: string,
  outcomes: readonly VerdictResult[],
): AssertionSummary {
  const withStatus = (status: VerdictResult['status']) =>
    outcomes.filter((outcome) => outcome.status === status);
  return {
    name,
    mean: mean(outcomes.flatMap(({ score }) => score ?? [])) ?? null,
    thresholds: [...new Set(outcomes.map(({ threshold }) => threshold))],
    passed: withStatus('pass').length,
    failed: withStatus('fail').length,
    skipped: withStatus('skipped').length,
    errored: countByName(withStatus('error').map(({ reason = '' }) => reason)),
    values: countByName(outcomes.flatMap(({ label }) => label ?? [])),
  };
}

function countByName(names: readonly string[]): Record<string, number> {
  const same = groupBy(names, (name) => name);
  return Object.fromEntries([...same].map(([name, { length }]) => [name, length]));
}

/** Maximum number of assertions to list individually. */
const MAX_SUMMARIES = 100;

/**
 * Lists at most `MAX_SUMMARIES`. If there are more, lists only assertions that didn't always pass. `more` is the number
 * of assertions left out.
 */
export function limitSummaries(all: readonly AssertionSummary[]) {
  if (all.length <= MAX_SUMMARIES) return { listed: all, more: [] };
  const bad = all.filter(({ failed, errored }) => failed > 0 || Object.keys(errored).length > 0);
  const listed = bad.slice(0, MAX_SUMMARIES);
  const more = (count: number, what: string) =>
    count > 0 ? [`${counted(count, 'more assertion')}${what}`] : [];
  const moreBad = more(bad.length - listed.length, ' that failed or errored');
  return {
    listed,
    more: [...moreBad, ...more(all.length - bad.length, ', all passed or skipped')],
  };
}
