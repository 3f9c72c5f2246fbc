import { addTo, groupBy } from '../core/data/data.ts';
import { type Interval, wilson } from '../statistics/intervals.ts';
import type { ComparedVerdict, ComparisonAssertion, ComparisonCase } from './comparisonData.ts';

/** How often a judge gives another verdict on the same question about the same conversation. */
export interface NoiseRow {
  /** `provider:model` */
  readonly judge: string;
  /** Absent for all assertions combined. */
  readonly assertion?: { readonly key: string; readonly name: string };
  /** Number of conversations with at least two verdicts that passed or failed, without cached ones. */
  readonly conversations: number;
  /** Number of these with different verdicts. */
  readonly flipped: number;
  /** Flipped ÷ conversations. */
  readonly share: Interval;
  /** Probability that two verdicts on a conversation differ; null if none was judged twice. */
  readonly disagreement: number | null;
  /** Number of verdicts with several samples, and of those whose samples disagree. */
  readonly sampled: number;
  readonly unstable: number;
}

/** Per judge: all assertions combined, then each, the noisiest first. */
export function judgeNoise(cases: Iterable<ComparisonCase>): NoiseRow[] {
  const tallies = new Map<string, Map<string, NoiseCounts>>();
  for (const one of cases) {
    for (const assertion of one.assertions.values()) countVerdicts(assertion, tallies);
  }
  return [...tallies].flatMap(([judge, byKey]) => {
    const rows = [...byKey.values()].map((own) => rowOf(judge, own));
    const each = rows.filter((row) => row.conversations + row.sampled > 0);
    each.sort((a, b) => (b.disagreement ?? -1) - (a.disagreement ?? -1));
    const { assertion: _none, ...all } = rowOf(judge, sumOf([...byKey.values()]));
    return [all, ...each];
  });
}

interface NoiseCounts {
  readonly key: string;
  readonly name: string;
  conversations: number;
  flipped: number;
  /** Sum over the conversations. */
  disagreement: number;
  sampled: number;
  unstable: number;
}

function countVerdicts(
  assertion: ComparisonAssertion,
  tallies: Map<string, Map<string, NoiseCounts>>,
): void {
  const { key, name } = assertion;
  const byJudge = groupBy(assertion.verdicts, ({ judge }) => judge);
  for (const [judge, verdicts] of byJudge) {
    if (judge === undefined) continue;
    const byKey = tallies.get(judge) ?? new Map<string, NoiseCounts>();
    tallies.set(judge, byKey);
    const own = byKey.get(key) ?? { ...ZERO_COUNTS, key, name };
    byKey.set(key, own);
    const fresh = verdicts.filter(({ cached }) => !cached);
    const sampled = fresh.filter(({ samples }) => samples > 1);
    own.sampled += sampled.length;
    own.unstable += sampled.filter(({ unstable }) => unstable).length;
    for (const same of repeatedIn(fresh)) {
      const [n, passed] = [same.length, same.filter(({ status }) => status === 'pass').length];
      own.conversations += 1;
      if (passed > 0 && passed < n) own.flipped += 1;
      own.disagreement += (2 * passed * (n - passed)) / (n * (n - 1));
    }
  }
}

const ZERO_COUNTS = { conversations: 0, flipped: 0, disagreement: 0, sampled: 0, unstable: 0 };

/** Groups of verdicts on the same question about the same conversation. */
function repeatedIn(verdicts: readonly ComparedVerdict[]): ComparedVerdict[][] {
  const groups = new Map<string, ComparedVerdict[]>();
  for (const one of verdicts) {
    if (one.score === null || one.question === undefined) continue;
    addTo(groups, `${one.conversation} ${one.question}`, one);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}

function sumOf(tallies: readonly NoiseCounts[]): NoiseCounts {
  const sum = { ...ZERO_COUNTS, key: '', name: '' };
  for (const one of tallies) {
    sum.conversations += one.conversations;
    sum.flipped += one.flipped;
    sum.disagreement += one.disagreement;
    sum.sampled += one.sampled;
    sum.unstable += one.unstable;
  }
  return sum;
}

function rowOf(judge: string, own: NoiseCounts): NoiseRow {
  const { key, name, conversations, flipped, disagreement, sampled, unstable } = own;
  return {
    judge,
    assertion: { key, name },
    conversations,
    flipped,
    share: wilson(flipped, conversations),
    disagreement: conversations === 0 ? null : disagreement / conversations,
    sampled,
    unstable,
  };
}
