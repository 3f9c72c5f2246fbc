import { groupBy } from '../core/data/data.ts';
import { type CaseIdentity, caseKey } from '../core/identity.ts';
import type { PlacedLabel } from '../core/record/label.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import {
  addUsage,
  keyedVerdicts,
  NO_USAGE,
  type Status,
  type Usage,
  type Verdict,
} from '../core/verdict.ts';
import { conversationHash } from '../node/hashes.ts';
import { confusionOf, type Kappa, kappaOf, ratesOf } from '../statistics/agreement.ts';
import { mcnemar } from '../statistics/pairedTests.ts';
import { type AgreementRow, agreementOf, isDecided, type LabeledItem } from './agreement.ts';
import { ComparisonData } from './comparisonData.ts';

const REASON_LENGTH = 400;

/** A judge, with or without examples, and its results. */
export interface JudgeRun {
  readonly name: string;
  /** One per labeled conversation. */
  readonly lines: readonly CaseLine[];
}

/** How a judge agrees with people, and its usage. */
export interface MeasuredJudge {
  readonly name: string;
  readonly rows: readonly AgreementRow[];
  readonly usage: Usage;
  /** Average milliseconds per conversation, excluding cached ones. */
  readonly duration: number;
  /** Number of verdicts that ended in an error. */
  readonly errors: number;
  /** Reasons for the errors, most frequent first. */
  readonly reasons: ReturnType<typeof reasonsOf>;
}

/** How two judges agree with each other, and which is right more often. */
export interface JudgePair {
  readonly first: string;
  readonly second: string;
  /** Number of turns and conversations that both judges passed or failed. */
  readonly compared: number;
  readonly accuracy: number | null;
  readonly kappa: Kappa | null;
  /** Number of items that only the first judge got right. */
  readonly onlyFirst: number;
  readonly onlySecond: number;
  /** Exact p-value of McNemar's test. */
  readonly p: number;
}

export interface JudgeComparison {
  readonly judges: readonly MeasuredJudge[];
  /** One per pair of judges. */
  readonly pairs: readonly JudgePair[];
}

/** Compares judges with people and with each other. @param labels under the names of the judged cases */
export function compareJudges(
  labels: readonly PlacedLabel[],
  all: readonly JudgeRun[],
): JudgeComparison {
  const measured = all.map((one) => measure(labels, one));
  const pairs = measured.flatMap((first, index) =>
    measured.slice(index + 1).map((second) => pairOf(first, second)),
  );
  return { judges: measured.map(({ items: _i, statuses: _s, ...own }) => own), pairs };
}

interface MeasuredItems extends MeasuredJudge {
  readonly items: readonly LabeledItem[];
  readonly statuses: ReadonlyMap<string, Status>;
}

function measure(labels: readonly PlacedLabel[], { name, lines }: JudgeRun): MeasuredItems {
  const data = new ComparisonData();
  for (const line of lines) data.add(line);
  const { rows, items } = agreementOf(labels, data, () => () => true);
  const verdicts = lines.flatMap((line) => line.verdicts);
  const errors = verdicts.filter(({ status }) => status === 'error');
  const asked = lines.filter((line) => line.usage.calls > 0);
  return {
    name,
    rows: rows.map((row) => ({ ...row, judge: name })),
    items,
    statuses: statusesIn(lines),
    usage: lines.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE),
    duration: asked.reduce((sum, line) => sum + line.duration, 0) / Math.max(1, asked.length),
    errors: errors.length,
    reasons: reasonsOf(errors),
  };
}

/** The reasons for errors, most frequent first. */
export function reasonsOf(errors: readonly Verdict[]) {
  return [...groupBy(errors, ({ rationale }) => visibleLine(rationale, REASON_LENGTH))]
    .map(([why, { length: count }]) => ({ why, count }))
    .sort((a, b) => b.count - a.count);
}

/** Statuses by `subjectKey`. */
function statusesIn(lines: readonly CaseLine[]): Map<string, Status> {
  return new Map(
    lines.flatMap((line) => {
      const hash = conversationHash(line.conversation);
      const about = (assertion: string, turn?: number) => subjectKey(line, hash, assertion, turn);
      return keyedVerdicts(line.verdicts).flatMap(([key, verdict]): [string, Status][] => [
        [about(key), verdict.status],
        ...verdict.turns.map((one): [string, Status] => [about(key, one.turn), one.status]),
      ]);
    }),
  );
}

function pairOf(first: MeasuredItems, second: MeasuredItems): JudgePair {
  const both = [...first.statuses].flatMap(([key, status]) => {
    const other = second.statuses.get(key);
    return isDecided(status) && isDecided(other) ? [{ judge: status, people: other }] : [];
  });
  const confusion = confusionOf(both);
  const others = new Map(second.items.map((item) => [subjectOf(item), item.status]));
  // Items on which the judges disagree.
  const disputed = first.items.filter((item) => {
    const other = others.get(subjectOf(item));
    const isDisputed = isDecided(item.status) && isDecided(other) && item.status !== other;
    return isDisputed && isDecided(item.people);
  });
  const onlyFirst = disputed.filter(({ status, people }) => status === people).length;
  const onlySecond = disputed.length - onlyFirst;
  return {
    first: first.name,
    second: second.name,
    compared: both.length,
    accuracy: ratesOf(confusion).accuracy,
    kappa: kappaOf(confusion) ?? null,
    onlyFirst,
    onlySecond,
    p: mcnemar(onlyFirst, onlySecond),
  };
}

function subjectOf(item: LabeledItem): string {
  const { labels, assertion, turn } = item;
  return subjectKey(item, labels[0].conversation_hash, assertion.key, turn);
}

function subjectKey(
  identity: CaseIdentity,
  conversation: string,
  assertion: string,
  turn: number | undefined,
): string {
  return JSON.stringify([caseKey(identity), conversation, assertion, turn]);
}
