import { groupBy } from '../data/data.ts';
import { mean } from '../scoring.ts';
import type { CaseSummary } from './caseSummary.ts';
import { type Outcome, outcomeOf } from './outcome.ts';

/** How one assertion came out over the cases of a suite, or of a run. */
export interface AssertionSummary {
  /** As recorded; absent if it stands for several suites. */
  readonly suite?: string;
  readonly name: string;
  /** Mean score of the verdicts that passed or failed; null if none did. */
  readonly mean: number | null;
  /** What a verdict had to reach; several where cases differ. */
  readonly thresholds: readonly number[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** How often it could not be judged, by reason. */
  readonly errored: Readonly<Record<string, number>>;
  /** How often each label or value was given; empty if there is nothing but scores. */
  readonly values: Readonly<Record<string, number>>;
}

/** By suite and name, in the order of the cases. */
export function summariesBySuite(cases: readonly CaseSummary[]): AssertionSummary[] {
  return [...groupBy(cases, ({ suite }) => suite)].flatMap(([suite, lines]) =>
    summaries(lines).map((one) => ({ suite, ...one })),
  );
}

/** By name, whatever the suite. */
export function summaries(cases: readonly CaseSummary[]): AssertionSummary[] {
  const verdicts = cases.flatMap((line) => line.verdicts);
  return [...groupBy(verdicts, ({ assertion }) => assertion.name)].map(([name, verdicts]) =>
    assertionSummary(name, verdicts.map(outcomeOf)),
  );
}

export function assertionSummary(name: string, outcomes: readonly Outcome[]): AssertionSummary {
  const count = (status: Outcome['status']) =>
    outcomes.filter((outcome) => outcome.status === status).length;
  const scores = outcomes.flatMap(({ score }) => (score === null ? [] : [score]));
  return {
    name,
    mean: mean(scores) ?? null,
    thresholds: [...new Set(outcomes.map(({ threshold }) => threshold))],
    passed: count('pass'),
    failed: count('fail'),
    skipped: count('skipped'),
    errored: counted(
      outcomes.flatMap(({ status, reason = '' }) => (status === 'error' ? [reason] : [])),
    ),
    values: counted(outcomes.flatMap(({ label }) => (label === undefined ? [] : [label]))),
  };
}

function counted(names: readonly string[]): Record<string, number> {
  const same = groupBy(names, (name) => name);
  return Object.fromEntries([...same].map(([name, { length }]) => [name, length]));
}
