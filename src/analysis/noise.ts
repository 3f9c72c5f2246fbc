import { groupBy } from '../core/data/data.ts';
import { type Interval, wilson } from '../statistics/intervals.ts';
import type { ComparedVerdict, ComparisonCase } from './comparisonData.ts';

/** How often a judge gives a different verdict on the same question about the same conversation. */
export interface NoiseRow {
  /** `provider:model` */
  readonly judge: string;
  /** Absent for all assertions combined. */
  readonly assertion?: { readonly key: string; readonly name: string };
  /** Number of conversations with at least two verdicts that passed or failed, not counting cached verdicts. */
  readonly conversations: number;
  /** Number of these conversations whose verdicts differ. */
  readonly flipped: number;
  /** Flipped ÷ conversations. */
  readonly share: Interval;
  /** Probability that two verdicts on a conversation differ; null if no conversation was judged twice. */
  readonly disagreement: number | null;
  /** Number of verdicts with several samples, and number of those whose samples disagree. */
  readonly sampled: number;
  readonly unstable: number;
}

/** For each judge, first all assertions combined, then each assertion, noisiest first. */
export function judgeNoise(cases: Iterable<ComparisonCase>): NoiseRow[] {
  const byJudge = new Map<
    string,
    { readonly all: NoiseCounts; readonly each: Map<string, NoiseCounts> }
  >();
  for (const { assertions } of cases) {
    for (const { key, name, verdicts } of assertions.values()) {
      for (const [judge, own] of groupBy(verdicts, (one) => one.judge)) {
        if (judge === undefined) continue;
        const counts = byJudge.get(judge) ?? { all: { ...ZERO_COUNTS }, each: new Map() };
        byJudge.set(judge, counts);
        const counted = counts.each.get(key) ?? { ...ZERO_COUNTS, assertion: { key, name } };
        counts.each.set(key, counted);
        for (const into of [counts.all, counted]) countVerdicts(own, into);
      }
    }
  }
  return [...byJudge].flatMap(([judge, { all, each }]) => {
    const rows = [...each.values()].map((own) => rowOf(judge, own));
    const noisy = rows.filter((row) => row.conversations + row.sampled > 0);
    noisy.sort((a, b) => (b.disagreement ?? -1) - (a.disagreement ?? -1));
    return [rowOf(judge, all), ...noisy];
  });
}

interface NoiseCounts extends Pick<NoiseRow, 'assertion'> {
  conversations: number;
  flipped: number;
  /** Sum of the disagreement over all conversations. */
  disagreement: number;
  sampled: number;
  unstable: number;
}

const ZERO_COUNTS = { conversations: 0, flipped: 0, disagreement: 0, sampled: 0, unstable: 0 };

function countVerdicts(verdicts: readonly ComparedVerdict[], into: NoiseCounts): void {
  const fresh = verdicts.filter(({ cached }) => !cached);
  const sampled = fresh.filter(({ samples }) => samples > 1);
  into.sampled += sampled.length;
  into.unstable += sampled.filter(({ unstable }) => unstable).length;
  for (const same of repeatedIn(fresh)) {
    const [n, passed] = [same.length, same.filter(({ status }) => status === 'pass').length];
    into.conversations += 1;
    if (passed > 0 && passed < n) into.flipped += 1;
    into.disagreement += (2 * passed * (n - passed)) / (n * (n - 1));
  }
}

/** Groups of verdicts on the same question about the same conversation. */
function repeatedIn(verdicts: readonly ComparedVerdict[]): ComparedVerdict[][] {
  const asked = verdicts.filter(({ score, question }) => score !== null && question !== undefined);
  const groups = groupBy(asked, ({ conversation, question }) => `${conversation} ${question}`);
  return [...groups.values()].filter(({ length }) => length > 1);
}

function rowOf(judge: string, { disagreement, ...counts }: NoiseCounts): NoiseRow {
  const { conversations, flipped } = counts;
  return {
    judge,
    ...counts,
    share: wilson(flipped, conversations),
    disagreement: conversations === 0 ? null : disagreement / conversations,
  };
}
