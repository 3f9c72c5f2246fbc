import type { ComparedOutcome } from '../core/presentation/words.ts';
import { combineRepetitions, combineVerdicts, rangeOf } from '../core/record/repetitions.ts';
import { SCORE_EPSILON } from '../core/scoring.ts';
import type { Status } from '../core/verdict.ts';
import {
  type ComparedExecution,
  type ComparisonAssertion,
  type ComparisonCase,
  turnStatuses,
} from './comparisonData.ts';

/** How a case or an assertion came out in one run, its repetitions taken together. */
export interface Side {
  readonly status: Status;
  /** Mean of the repetitions; null if none has one. */
  readonly score: number | null;
  /** Lowest and highest score, where the repetitions have several. */
  readonly range?: readonly [number, number];
  /** Of the repetitions. */
  readonly passed: number;
  /** That passed or failed. */
  readonly decided: number;
  readonly errored: number;
}

export function sideOfCase({ executions, mustPass }: ComparisonCase): Side {
  const { status, score } = combineRepetitions(executions, mustPass);
  return sideOf(executions, status, score);
}

export function sideOfAssertion({ verdicts }: ComparisonAssertion): Side {
  const { status, score } = combineVerdicts(verdicts);
  return sideOf(verdicts, status, score);
}

function sideOf(
  given: readonly Pick<ComparedExecution, 'status' | 'score'>[],
  status: Status,
  score: number | null,
): Side {
  const range = rangeOf(given);
  return { ...counts(given), status, score, ...(range && { range }) };
}

function counts(given: readonly Pick<ComparedExecution, 'status'>[]) {
  const count = (status: Status) => given.filter((one) => one.status === status).length;
  return { passed: count('pass'), decided: count('pass') + count('fail'), errored: count('error') };
}

/** Turns that pass in one run and fail in the other; known where each run judged the assertion once. */
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

/** By how many of its repetitions pass, then its score, then its turns. */
export function outcomeOfAssertion(base: Side, head: Side, turns: TurnChanges): ComparedOutcome {
  if (base.decided === 0 || head.decided === 0) return sameOr(base.status === head.status);
  const way =
    direction(base.passed / base.decided, head.passed / head.decided) ??
    direction(base.score ?? 0, head.score ?? 0) ??
    direction(turns.worse.length, turns.better.length);
  return way ?? sameOr(head.errored <= base.errored);
}

/**
 * By its status; of one with the same status by its assertions: it is worse where any of them is, though
 * others are better.
 */
export function outcomeOfCase(
  base: Side,
  head: Side,
  assertions: readonly ComparedOutcome[],
): ComparedOutcome {
  if (base.status !== head.status) {
    if (base.decided === 0 || head.decided === 0) return 'undecided';
    const [before, after] = [RANK[base.status], RANK[head.status]];
    return before === undefined || after === undefined
      ? 'undecided'
      : (direction(before, after) ?? 'unchanged');
  }
  const order: readonly ComparedOutcome[] = ['worse', 'better', 'undecided'];
  return order.find((one) => assertions.includes(one)) ?? 'unchanged';
}

const RANK: Readonly<Partial<Record<Status, number>>> = { fail: 0, pass: 1 };

function direction(before: number, after: number): 'worse' | 'better' | undefined {
  if (Math.abs(after - before) <= SCORE_EPSILON) return undefined;
  return after < before ? 'worse' : 'better';
}

function sameOr(same: boolean): ComparedOutcome {
  return same ? 'unchanged' : 'undecided';
}
