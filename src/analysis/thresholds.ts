import { groupBy } from '../core/data/data.ts';
import { reaches } from '../core/scoring.ts';
import { type Confusion, kappaOf, type Rates, ratesOf } from '../statistics/agreement.ts';
import { isDecided, type LabeledItem } from './agreement.ts';

/** A judge's agreement with people at one threshold. */
export interface ThresholdRow extends Rates {
  /** 0..1. */
  readonly threshold: number;
  readonly confusion: Confusion;
  /** Null if all agreement is due to chance. */
  readonly kappa: number | null;
}

/** How well an assertion agrees with people at various thresholds. */
export interface Thresholds {
  readonly judge: string;
  readonly assertion: { readonly key: string; readonly name: string };
  /** Number of scored conversations that people passed or failed. */
  readonly compared: number;
  /** The threshold used for the verdicts; absent if they differ. */
  readonly current?: number;
  /** The threshold with the best kappa. Ties are broken by accuracy, then by closeness to the current threshold. */
  readonly best: number;
  /**
   * Cross-validated accuracy, with up to 50 folds. The accuracy at `best` is optimistic, because the same data was used
   * to choose that threshold.
   */
  readonly heldOut: number;
  /** One row per threshold that changes at least one verdict, in ascending order. */
  readonly rows: readonly ThresholdRow[];
}

interface ScoredLabel {
  readonly score: number;
  readonly people: 'pass' | 'fail';
}

/** One item per judge and assertion, if there is more than one distinct score. */
export function thresholdsOf(items: readonly LabeledItem[]): Thresholds[] {
  const ofCases = items.filter(({ turn }) => turn === undefined);
  const groups = groupBy(ofCases, (one) => JSON.stringify([one.judge, one.assertion.key]));
  return [...groups.values()].flatMap((own) => {
    const [{ judge, assertion }] = own;
    const scored = own.flatMap(({ score, people }) =>
      score !== null && isDecided(people) ? [{ score, people }] : [],
    );
    if (new Set(scored.map(({ score }) => score)).size < 2) return [];
    const stated = new Set(own.map(({ threshold }) => threshold));
    const [first] = stated;
    const current = stated.size === 1 ? first : undefined;
    const rows = rowsOf(scored, current);
    const best = bestOf(rows, current);
    return [
      {
        judge,
        assertion,
        compared: scored.length,
        ...(current !== undefined && { current }),
        best: best.threshold,
        heldOut: heldOut(scored, current),
        rows,
      },
    ];
  });
}

function rowsOf(scored: readonly ScoredLabel[], current: number | undefined): ThresholdRow[] {
  const byScore = [...groupBy(scored, ({ score }) => score)].sort(([a], [b]) => a - b);
  const count = (some: readonly ScoredLabel[], people: ScoredLabel['people']) =>
    some.filter((one) => one.people === people).length;
  // At the lowest score as the threshold, everything passes; each higher threshold fails the scores below it.
  let confusion: Confusion = {
    failFail: 0,
    failPass: 0,
    passFail: count(scored, 'fail'),
    passPass: count(scored, 'pass'),
  };
  return byScore.map(([score], index) => {
    const [before, below = []] = byScore[index - 1] ?? [];
    const [fail, pass] = [count(below, 'fail'), count(below, 'pass')];
    confusion = {
      failFail: confusion.failFail + fail,
      failPass: confusion.failPass + pass,
      passFail: confusion.passFail - fail,
      passPass: confusion.passPass - pass,
    };
    const kappa = kappaOf(confusion)?.kappa ?? null;
    const threshold = separatingThreshold(before, score, current);
    return { threshold, confusion, ...ratesOf(confusion), kappa };
  });
}

/** A threshold between two scores: the current one if it fits, otherwise a rounded midpoint. */
function separatingThreshold(
  before: number | undefined,
  score: number,
  current: number | undefined,
): number {
  const separates = (threshold: number) =>
    reaches(score, threshold) && (before === undefined || !reaches(before, threshold));
  const middle = Math.round(50 * ((before ?? score) + score)) / 100;
  return [current ?? middle, middle].find(separates) ?? score;
}

function bestOf(rows: readonly ThresholdRow[], current: number | undefined): ThresholdRow {
  const away = ({ threshold }: ThresholdRow) => Math.abs(threshold - (current ?? 0.5));
  const [best] = [...rows].sort(
    (a, b) =>
      (b.kappa ?? 0) - (a.kappa ?? 0) || (b.accuracy ?? 0) - (a.accuracy ?? 0) || away(a) - away(b),
  );
  if (!best) throw new Error('Internal error: there is no threshold.');
  return best;
}

/** More folds hardly change the result, and take too long with thousands of scores. */
const MAX_FOLDS = 50;

function heldOut(scored: readonly ScoredLabel[], current: number | undefined): number {
  const folds = Math.min(scored.length, MAX_FOLDS);
  const thresholds = Array.from({ length: folds }, (_, fold) => {
    const others = scored.filter((_one, index) => index % folds !== fold);
    return bestOf(rowsOf(others, current), current).threshold;
  });
  const right = scored.filter(({ score, people }, index) => {
    return reaches(score, thresholds[index % folds] ?? 0) === (people === 'pass');
  });
  return right.length / scored.length;
}
