import type { CaseRef } from '../core/identity.ts';
import type { PlacedLabel } from '../core/record/label.ts';
import { conversationHash } from '../node/hashes.ts';
import { type LabelProblem, readLabels } from '../store/labels.ts';
import { labelledLines } from '../store/records/latest.ts';
import { type LabelledItem, NO_JUDGE } from './agreement.ts';
import { ComparisonData } from './comparisonData.ts';

/** Where a conversation was judged. */
export interface JudgedPlace extends CaseRef {
  /** The run's record, absolute. */
  readonly record: string;
}

/** What people say of the verdicts of some eval files, and the verdicts that this may be about. */
export interface LabelledRuns {
  readonly labels: readonly PlacedLabel[];
  readonly problems: readonly LabelProblem[];
  readonly data: ComparisonData;
  /** Where the verdict of an item stands: the newest run in which that judge judged its conversation. */
  placeOf(item: Pick<LabelledItem, 'judge' | 'labels'>): JudgedPlace | undefined;
}

/**
 * Reads the labels beside eval files, and of their last runs what these may speak of.
 *
 * @param files absolute
 * @returns undefined where it was aborted
 */
export async function readLabelledRuns(
  files: readonly string[],
  signal?: AbortSignal,
): Promise<LabelledRuns | undefined> {
  const labels: PlacedLabel[] = [];
  const problems: LabelProblem[] = [];
  const data = new ComparisonData();
  const places = new Map<string, JudgedPlace>();
  for (const file of files) {
    const own = await readLabels(file);
    problems.push(...own.problems);
    for (const label of own.labels) labels.push(label);
    if (own.labels.length === 0) continue;
    const ids = new Set(own.labels.map((one) => one.case));
    for await (const { line, record } of labelledLines(file, ids)) {
      if (signal?.aborted) return undefined;
      data.add(line);
      const { suite, id, variant, repetition } = line;
      const hash = conversationHash(line.conversation);
      for (const { judge } of line.verdicts) {
        const key = placeKey(hash, judge?.model ?? NO_JUDGE);
        if (!places.has(key)) places.set(key, { suite, id, variant, repetition, record });
      }
    }
  }
  const placeOf: LabelledRuns['placeOf'] = ({ judge, labels: [first] }) =>
    places.get(placeKey(first.conversation_hash, judge));
  return { labels, problems, data, placeOf };
}

function placeKey(conversation: string, judge: string): string {
  return JSON.stringify([conversation, judge]);
}
