import { groupBy } from '../core/data/data.ts';
import type { ComparedOutcome } from '../core/presentation/words.ts';
import { combineRepetitions, combineVerdicts, scoreRangeOf } from '../core/record/repetitions.ts';
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

/** A test that needs a larger share of the cases to change has too few cases. */
const MAX_NEEDED_SHARE = 0.25;

/** An assertion of a case in both runs. */
export interface Pair {
  readonly suite: string;
  readonly key: string;
  readonly name: string;
  readonly base: ResultInRun;
  readonly head: ResultInRun;
}

/** Head minus base, with its 95 % interval. */
export interface Change extends Interval {
  readonly value: number;
}

/** The evidence that an assertion changed. */
export interface Evidence extends Pick<Pair, 'suite' | 'key' | 'name'> {
  /** Number of cases that passed or failed it in both runs. */
  readonly cases: number;
  readonly worse: number;
  readonly better: number;
  readonly passRate: { readonly base: number; readonly head: number };
  readonly score: { readonly base: number; readonly head: number };
  /** `mcnemar` if each case ran once with a score of 0 or 1; otherwise `wilcoxon`, on the scores. */
  readonly test: 'mcnemar' | 'wilcoxon';
  /** In the pass rate for McNemar, in the mean score for Wilcoxon. */
  readonly change: Change;
  readonly p: number;
  /** Corrected by Holm's method across the assertions with enough cases; null for the others. */
  readonly adjusted: number | null;
  /** Number of cases that would have to change, all in one direction, to be evidence. */
  readonly needed: number;
  readonly says: 'worse' | 'better' | 'no-evidence' | 'too-few';
}

/**
 * Tests each assertion, identified by suite and key, across its cases. A case is one pair, regardless of its
 * repetitions. An assertion with too few cases for any p below 0.05 is excluded from the correction.
 */
export function* evidenceOf(pairs: readonly Pair[]): Work<Evidence[]> {
  const decided = pairs.filter(({ base, head }) => base.decided > 0 && head.decided > 0);
  const groups = groupBy(decided, ({ suite, key }) => JSON.stringify([suite, key]));
  const tested: Tested[] = [];
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

type Tested = Omit<Evidence, 'adjusted' | 'needed' | 'says'>;

function* testOf(pairs: readonly [Pair, ...Pair[]]): Work<Tested> {
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
  { cases, change }: Tested,
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

/** The result of a case or an assertion in one run, across repetitions. */
export interface ResultInRun {
  readonly status: Status;
  /** Mean of the repetitions; null if none has a score. */
  readonly score: number | null;
  /** Lowest and highest score, if they differ. */
  readonly range?: readonly [number, number];
  /** Number of repetitions. */
  readonly passed: number;
  /** Number of repetitions that passed or failed. */
  readonly decided: number;
  readonly errored: number;
}

export function caseResult({ executions, mustPass }: ComparisonCase): ResultInRun {
  const { status, score } = combineRepetitions(executions, mustPass);
  return resultOf(executions, status, score);
}

export function assertionResult({ verdicts }: ComparisonAssertion): ResultInRun {
  const { status, score } = combineVerdicts(verdicts);
  return resultOf(verdicts, status, score);
}

function resultOf(
  given: readonly Pick<ComparedExecution, 'status' | 'score'>[],
  status: Status,
  score: number | null,
): ResultInRun {
  const range = scoreRangeOf(given);
  const count = (wanted: Status) => given.filter((one) => one.status === wanted).length;
  const passed = count('pass');
  const decided = passed + count('fail');
  return { passed, decided, errored: count('error'), status, score, ...(range && { range }) };
}

/** Turns that pass in one run and fail in the other; empty if a run judged the assertion several times. */
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

/** Compares the status; if that is the same, the assertions: worse if any is worse. */
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
