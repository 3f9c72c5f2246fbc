import { groupBy } from '../core/data/data.ts';
import type { ComparedOutcome } from '../core/presentation/words.ts';
import {
  combineRepetitions,
  combineVerdicts,
  scoreRangeOf,
  scoresOf,
} from '../core/record/repetitions.ts';
import { mean, SCORE_EPSILON } from '../core/scoring.ts';
import type { Status } from '../core/verdict.ts';
import type { Work } from '../node/cooperative.ts';
import { bootstrap, type Interval } from '../statistics/intervals.ts';
import {
  changeInterval,
  holm,
  mcnemar,
  minimumChanges,
  wilcoxon,
} from '../statistics/pairedTests.ts';
import { isDecided } from './agreement.ts';
import {
  type ComparedExecution,
  type ComparisonAssertion,
  type ComparisonCase,
  turnStatuses,
} from './comparisonData.ts';

/** Significance level for all assertions together. */
const ALPHA = 0.05;

/** If the test would need a larger share of cases to change than this, there are too few cases. */
const MAX_NEEDED_SHARE = 0.25;

/** An assertion's results for one case, in both runs. */
export interface Pair {
  readonly suite: string;
  readonly key: string;
  readonly name: string;
  readonly base: ResultInRun;
  readonly head: ResultInRun;
}

/** The second run's value minus the first run's, with its 95% interval. */
export interface Change extends Interval {
  readonly value: number;
}

/** Statistical evidence that an assertion's results changed. */
export interface Evidence extends Pick<Pair, 'suite' | 'key' | 'name'> {
  /** Number of cases that passed or failed the assertion in both runs. */
  readonly cases: number;
  readonly worse: number;
  readonly better: number;
  readonly passRate: { readonly base: number; readonly head: number };
  readonly score: { readonly base: number; readonly head: number };
  /** `mcnemar` if each case ran once and scored 0 or 1; otherwise, `wilcoxon` on the scores. */
  readonly test: 'mcnemar' | 'wilcoxon';
  /** Change in the pass rate for McNemar's test, or in the mean score for Wilcoxon's. */
  readonly change: Change;
  readonly p: number;
  /** Corrected by Holm's method across the assertions with enough cases; null for assertions with too few cases. */
  readonly adjusted: number | null;
  /** Number of cases that would have to change in the same direction to count as evidence. */
  readonly needed: number;
  readonly says: 'worse' | 'better' | 'no-evidence' | 'too-few';
}

/**
 * Tests each assertion, identified by suite and key, across its cases. A case is one pair, regardless of its
 * repetitions. The correction excludes assertions with too few cases to ever reach p < 0.05.
 */
export function* evidenceOf(pairs: readonly Pair[]): Work<Evidence[]> {
  const decided = pairs.filter(({ base, head }) => base.decided > 0 && head.decided > 0);
  const groups = groupBy(decided, ({ suite, key }) => JSON.stringify([suite, key]));
  const tested: TestedEvidence[] = [];
  for (const group of groups.values()) tested.push(yield* testOf(group));
  const able = tested.filter(({ cases }) => cases >= minimumChanges(ALPHA));
  const adjusted = holm(able.map(({ p }) => p));
  const needed = minimumChanges(ALPHA / Math.max(1, able.length));
  return tested.map((one) => {
    const place = able.indexOf(one);
    const own = place < 0 ? null : (adjusted[place] ?? null);
    return { ...one, adjusted: own, needed, says: conclusionOf(one, own, needed) };
  });
}

type TestedEvidence = Omit<Evidence, 'adjusted' | 'needed' | 'says'>;

function* testOf(pairs: readonly [Pair, ...Pair[]]): Work<TestedEvidence> {
  const [{ suite, key, name }] = pairs;
  const rates = pairs.map(({ base, head }) => ({
    base: base.passed / base.decided,
    head: head.passed / head.decided,
  }));
  const scores = pairs.map(({ base, head }) => ({ base: base.score ?? 0, head: head.score ?? 0 }));
  const isPlain = pairs.every(({ base, head }) => isYesOrNo(base) && isYesOrNo(head));
  const changes = (isPlain ? rates : scores).map(({ base, head }) => head - base);
  const worse = changes.filter((one) => one < -SCORE_EPSILON).length;
  const better = changes.filter((one) => one > SCORE_EPSILON).length;
  const [passRate, score] = [meansOf(rates), meansOf(scores)];
  const shown = isPlain ? passRate : score;
  const interval = isPlain
    ? changeInterval(worse, better, pairs.length)
    : yield* bootstrap(changes);
  return {
    suite,
    key,
    name,
    cases: pairs.length,
    worse,
    better,
    passRate,
    score,
    test: isPlain ? 'mcnemar' : 'wilcoxon',
    change: { value: shown.head - shown.base, ...interval },
    p: isPlain ? mcnemar(worse, better) : wilcoxon(changes),
  };
}

function conclusionOf(
  { cases, change }: TestedEvidence,
  adjusted: number | null,
  needed: number,
): Evidence['says'] {
  if (adjusted !== null && adjusted <= ALPHA) return change.value < 0 ? 'worse' : 'better';
  return needed > cases * MAX_NEEDED_SHARE ? 'too-few' : 'no-evidence';
}

function isYesOrNo({ decided, score, passed }: ResultInRun): boolean {
  return decided === 1 && score === passed;
}

function meansOf(values: readonly { readonly base: number; readonly head: number }[]) {
  return {
    base: mean(values.map(({ base }) => base)) ?? 0,
    head: mean(values.map(({ head }) => head)) ?? 0,
  };
}

/** A case's or an assertion's result in one run, across repetitions. */
export interface ResultInRun {
  readonly status: Status;
  /** Mean score over the repetitions; null if none has a score. */
  readonly score: number | null;
  /** Lowest and highest score, if they differ. */
  readonly range?: readonly [number, number];
  /** Number of repetitions that passed. */
  readonly passed: number;
  /** Number of repetitions that passed or failed. */
  readonly decided: number;
  readonly errored: number;
}

export function caseResult({ executions, mustPass }: ComparisonCase): ResultInRun {
  return resultOf(executions, combineRepetitions(executions, mustPass).status);
}

export function assertionResult({ verdicts }: ComparisonAssertion): ResultInRun {
  return resultOf(verdicts);
}

/** @param status by default, passes only if all repetitions passed */
export function resultOf(
  given: readonly Pick<ComparedExecution, 'status' | 'score'>[],
  status: Status = combineVerdicts(given).status,
): ResultInRun {
  const score = mean(scoresOf(given)) ?? null;
  const range = scoreRangeOf(given);
  const count = (wanted: Status) => given.filter((one) => one.status === wanted).length;
  const passed = count('pass');
  const decided = passed + count('fail');
  return { passed, decided, errored: count('error'), status, score, ...(range && { range }) };
}

/** Turns that pass in one run and fail in the other; empty if either run judged the assertion more than once. */
export interface TurnChanges {
  readonly worse: readonly number[];
  readonly better: readonly number[];
}

export function turnChanges(base: ComparisonAssertion, head: ComparisonAssertion): TurnChanges {
  const [before, after] = [base.verdicts, head.verdicts];
  const [first, second] = [before[0], after[0]];
  if (!first || !second || before.length > 1 || after.length > 1 || first.turns === second.turns) {
    return { worse: [], better: [] };
  }
  const [then, now] = [turnStatuses(first), turnStatuses(second)];
  const turned = (from: Status, to: Status) =>
    [...now].flatMap(([turn, status]) => (status === to && then.get(turn) === from ? [turn] : []));
  return { worse: turned('pass', 'fail'), better: turned('fail', 'pass') };
}

/** Compares the share of passing repetitions, then the score, then the turns. */
export function outcomeOfAssertion(
  base: ResultInRun,
  head: ResultInRun,
  turns: TurnChanges,
): ComparedOutcome {
  if (base.decided === 0 || head.decided === 0) return unchangedIf(base.status === head.status);
  const changed =
    direction(base.passed / base.decided, head.passed / head.decided) ??
    direction(base.score ?? 0, head.score ?? 0) ??
    direction(turns.worse.length, turns.better.length);
  return changed ?? unchangedIf(head.errored <= base.errored);
}

/**
 * Compares the statuses. If they are the same, compares the assertions: the case is worse if any assertion is worse.
 */
export function outcomeOfCase(
  base: ResultInRun,
  head: ResultInRun,
  assertions: readonly ComparedOutcome[],
): ComparedOutcome {
  if (base.status !== head.status) {
    if (!isDecided(base.status) || !isDecided(head.status)) return 'undecided';
    return head.status === 'fail' ? 'worse' : 'better';
  }
  const order: readonly ComparedOutcome[] = ['worse', 'better', 'undecided'];
  return order.find((one) => assertions.includes(one)) ?? 'unchanged';
}

function direction(before: number, after: number): 'worse' | 'better' | undefined {
  if (Math.abs(after - before) <= SCORE_EPSILON) return undefined;
  return after < before ? 'worse' : 'better';
}

function unchangedIf(same: boolean): ComparedOutcome {
  return same ? 'unchanged' : 'undecided';
}
