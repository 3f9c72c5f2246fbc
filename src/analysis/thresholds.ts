import { groupBy } from '../core/data/data.ts';
import { reaches } from '../core/scoring.ts';
import { type Confusion, kappaOf, type Rates, ratesOf } from '../statistics/agreement.ts';
import { isDecided, type LabelledItem } from './agreement.ts';

/** How a judge would agree with people at one threshold. */
export interface ThresholdRow extends Rates {
  /** 0..1. */
  readonly threshold: number;
  readonly confusion: Confusion;
  /** Null where chance alone agrees. */
  readonly kappa: number | null;
}

/** The thresholds of an assertion by a judge, by what people say of its conversations. */
export interface Thresholds {
  readonly judge: string;
  readonly assertion: { readonly key: string; readonly name: string };
  /** Scored conversations that people passed or failed. */
  readonly compared: number;
  /** That of the verdicts; absent where they have several. */
  readonly current?: number;
  /** That which agrees best: by kappa, then by accuracy, then the nearest to the current one. */
  readonly best: number;
  /**
   * Accuracy on conversations left out: of each of up to 50 parts, with the threshold that agrees best on all others. That of `best` itself is
   * measured where it was found, so it flatters.
   */
  readonly heldOut: number;
  /** All that differ in a verdict, rising. */
  readonly rows: readonly ThresholdRow[];
}

interface Scored {
  readonly score: number;
  readonly people: 'pass' | 'fail';
}

/** Of each judge and assertion that gives more than one score. */
export function thresholdsOf(items: readonly LabelledItem[]): Thresholds[] {
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

function rowsOf(scored: readonly Scored[], current: number | undefined): ThresholdRow[] {
  const byScore = [...groupBy(scored, ({ score }) => score)].sort(([a], [b]) => a - b);
  const count = (some: readonly Scored[], people: Scored['people']) =>
    some.filter((one) => one.people === people).length;
  // At the lowest score everything passes; each further one fails those below it.
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

/** Any threshold above the score before and up to this one parts them alike: the current one, else a short one in the middle. */
function separatingThreshold(
  before: number | undefined,
  score: number,
  current: number | undefined,
): number {
  const parts = (threshold: number) =>
    reaches(score, threshold) && (before === undefined || !reaches(before, threshold));
  if (current !== undefined && parts(current)) return current;
  const middle = Math.round(50 * ((before ?? score) + score)) / 100;
  return parts(middle) ? middle : score;
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

/** More parts than these change the number little, and take long with thousands of scores. */
const MAX_FOLDS = 50;

function heldOut(scored: readonly Scored[], current: number | undefined): number {
  const parts = Math.min(scored.length, MAX_FOLDS);
  const thresholds = Array.from({ length: parts }, (_, part) => {
    const others = scored.filter((_one, index) => index % parts !== part);
    return bestOf(rowsOf(others, current), current).threshold;
  });
  const right = scored.filter((one, index) => {
    const passes = reaches(one.score, thresholds[index % parts] ?? 0);
    return passes === (one.people === 'pass');
  });
  return right.length / scored.length;
}
