import { groupBy } from '../core/data/data.ts';
import { mean, SCORE_EPSILON } from '../core/scoring.ts';
import type { Work } from '../node/cooperative.ts';
import { bootstrap } from '../statistics/bootstrap.ts';
import { holm } from '../statistics/holm.ts';
import type { Interval } from '../statistics/interval.ts';
import { changeOfShare, fewestChanges, mcnemar } from '../statistics/mcnemar.ts';
import { wilcoxon } from '../statistics/wilcoxon.ts';
import type { Side } from './outcome.ts';

/** A chance of this much is taken that anything at all is found where nothing has changed. */
export const ALPHA = 0.05;

/** A test that needs more of the cases than this to change cannot tell much. */
const TELLING = 0.25;

/** An assertion of a case in both runs. */
export interface Pair {
  readonly suite: string;
  readonly key: string;
  readonly name: string;
  readonly base: Side;
  readonly head: Side;
}

/** Head less base, with its interval of 95 %. */
export interface Change extends Interval {
  readonly value: number;
}

/** What the cases of both runs say of one assertion. */
export interface Evidence {
  readonly suite: string;
  readonly key: string;
  readonly name: string;
  /** Cases in which both runs passed or failed it. */
  readonly cases: number;
  readonly worse: number;
  readonly better: number;
  readonly passRate: { readonly base: number; readonly head: number };
  readonly score: { readonly base: number; readonly head: number };
  /** `mcnemar` where each case passes or fails once, with no score between; else `wilcoxon`, of the scores. */
  readonly test: 'mcnemar' | 'wilcoxon';
  /** Of the pass rate by McNemar, of the mean score by Wilcoxon. */
  readonly change: Change;
  readonly p: number;
  /** By Holm, over the assertions that have cases enough to show anything; null for others. */
  readonly adjusted: number | null;
  /** So many cases would have to change in one direction, and no other, to be evidence. */
  readonly needed: number;
  readonly says: 'worse' | 'better' | 'no-evidence' | 'too-few';
}

/**
 * Tests each assertion over its cases. Of assertions with the same key in one suite each case is a pair, its
 * repetitions one value. An assertion with too few cases for any p below 0.05 cannot be found, so that it takes
 * no part in the correction.
 */
export function* evidenceOf(pairs: readonly Pair[]): Work<Evidence[]> {
  const decided = pairs.filter(({ base, head }) => base.decided > 0 && head.decided > 0);
  const groups = groupBy(decided, ({ suite, key }) => JSON.stringify([suite, key]));
  const tested: Tested[] = [];
  for (const group of groups.values()) tested.push(yield* testOf(group));
  const able = tested.filter(({ cases }) => cases >= fewestChanges(ALPHA));
  const adjusted = holm(able.map(({ p }) => p));
  const needed = fewestChanges(ALPHA / Math.max(1, able.length));
  return tested.map((one) => {
    const place = able.indexOf(one);
    const own = place < 0 ? null : (adjusted[place] ?? null);
    return { ...one, adjusted: own, needed, says: saysOf(one, own, needed) };
  });
}

type Tested = Omit<Evidence, 'adjusted' | 'needed' | 'says'>;

function* testOf(pairs: readonly [Pair, ...Pair[]]): Work<Tested> {
  const [{ suite, key, name }] = pairs;
  const rates = pairs.map(({ base, head }) => ({ base: rateOf(base), head: rateOf(head) }));
  const scores = pairs.map(({ base, head }) => ({ base: base.score ?? 0, head: head.score ?? 0 }));
  const isPlain = pairs.every(({ base, head }) => isYesOrNo(base) && isYesOrNo(head));
  const changes = (isPlain ? rates : scores).map(({ base, head }) => head - base);
  const worse = changes.filter((one) => one < -SCORE_EPSILON).length;
  const better = changes.filter((one) => one > SCORE_EPSILON).length;
  const [passRate, score] = [meansOf(rates), meansOf(scores)];
  const shown = isPlain ? passRate : score;
  const interval = isPlain ? changeOfShare(worse, better, pairs.length) : yield* bootstrap(changes);
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

function saysOf(
  { cases, change }: Tested,
  adjusted: number | null,
  needed: number,
): Evidence['says'] {
  if (adjusted !== null && adjusted <= ALPHA) return change.value < 0 ? 'worse' : 'better';
  return needed > cases * TELLING ? 'too-few' : 'no-evidence';
}

function rateOf({ passed, decided }: Side): number {
  return passed / decided;
}

function isYesOrNo({ decided, score, passed }: Side): boolean {
  return decided === 1 && score === passed;
}

function meansOf(values: readonly { readonly base: number; readonly head: number }[]) {
  return {
    base: mean(values.map(({ base }) => base)) ?? 0,
    head: mean(values.map(({ head }) => head)) ?? 0,
  };
}
