import { dirname } from 'node:path';
import { addTo, groupBy, memoize, pushAll } from '../core/data/data.ts';
import { type CaseIdentity, type CaseRef, caseKey } from '../core/identity.ts';
import {
  assignLabels,
  type HasCase,
  type LabelValidity,
  majority,
  type PlacedLabel,
  sameSubject,
  validityOf,
} from '../core/record/label.ts';
import type { Status } from '../core/verdict.ts';
import { conversationHash } from '../node/hashes.ts';
import { labelsFolder } from '../node/paths.ts';
import {
  type Confusion,
  confusionOf,
  type Kappa,
  kappaOf,
  krippendorffAlpha,
  type Rates,
  ratesOf,
} from '../statistics/agreement.ts';
import { type LabelProblem, readLabels } from '../store/labels.ts';
import { labeledLines } from '../store/records/latest.ts';
import {
  type ComparedVerdict,
  type ComparisonAssertion,
  ComparisonData,
  turnStatuses,
} from './comparisonData.ts';

/** Memoized, because each turn can have labels. */
const statusesOf = memoize(turnStatuses);

/** People's labels for an assertion's verdict on a conversation, or on one of its turns. */
export interface LabeledItem extends CaseIdentity {
  readonly judge: string;
  readonly assertion: { readonly key: string; readonly name: string };
  /** Absent if the item is the whole conversation. */
  readonly turn?: number;
  /** The judge's status. */
  readonly status: Status;
  /** The judge's score for the whole conversation; null if undecided. */
  readonly score: number | null;
  readonly threshold: number;
  /** The status that most people chose; absent if they are tied. */
  readonly people?: PlacedLabel['status'];
  readonly labels: readonly [PlacedLabel, ...PlacedLabel[]];
  /** Labels whose question has changed still count, but are marked. */
  readonly standing: LabelValidity;
  /** Absolute path of the file that contains the assertion; `line` counts from 1. */
  readonly path: string;
  readonly line: number;
}

/** How well a judge agrees with people. */
export interface AgreementRow extends Rates {
  readonly judge: string;
  /** Absent for all assertions combined. */
  readonly assertion?: { readonly key: string; readonly name: string };
  /** Whether the verdicts are on turns or on whole conversations. */
  readonly of: 'turns' | 'cases';
  /** Number of items that both the judge and people marked pass or fail; the other numbers cover only these. */
  readonly compared: number;
  readonly confusion: Confusion;
  /** Null if all agreement is due to chance. */
  readonly kappa: Kappa | null;
  /** Agreement among people; null if there are fewer than two people, or all of them agree. */
  readonly alpha: number | null;
  readonly people: readonly string[];
  /** Number of items that people marked pass or fail but that the judge skipped or could not judge. */
  readonly unjudged: number;
  /** Number of items that the judge passed or failed but that people labeled as not applicable. */
  readonly notApplicable: number;
  /** Number of items on which people are tied. */
  readonly split: number;
  /** Number of compared items whose question has changed since they were labeled. */
  readonly otherQuestion: number;
}

/** A label that doesn't match any verdict. */
export interface UnmatchedLabel {
  readonly label: PlacedLabel;
  /**
   * `earlier-text`: the case now has a different conversation. `not-judged`: there is no verdict for that assertion or
   * turn.
   */
  readonly reason: 'earlier-text' | 'not-judged' | 'not-run';
}

export interface Agreement {
  /** For each judge, first all assertions combined, then each assertion. */
  readonly rows: readonly AgreementRow[];
  /** Items on which the judge and people disagree, or on which people are tied. */
  readonly disagreements: readonly LabeledItem[];
  readonly unmatched: readonly UnmatchedLabel[];
}

/** Agreement with all of its items. */
export interface JoinedAgreement extends Agreement {
  readonly items: readonly LabeledItem[];
}

/** Name shown instead of a judge's for deterministic assertions. */
const NO_JUDGE = 'no model';

/** Whether an eval file has a case. @param labels the folder of the file's labels */
export type CaseFinder = (labels: string) => HasCase | undefined;

/**
 * Joins labels to verdicts of their eval file by conversation, assertion, case, and turn. If a judge has several
 * verdicts on a case's conversation, only the first counts, so add the newest run first.
 */
export function agreementOf(
  labels: readonly PlacedLabel[],
  data: ComparisonData,
  casesIn: CaseFinder = () => undefined,
): JoinedAgreement {
  const verdicts = verdictsIn(data);
  const reasonOf = unmatchedReasonsIn(data);
  const unmatched: UnmatchedLabel[] = [];
  const all: LabeledItem[] = [];
  for (const [folder, given] of groupBy(labels, folderOf)) {
    const verdictsFor = verdicts(folder);
    const assigned = assignLabels(given, verdictsFor, casesIn(folder));
    for (const own of groupBy(assigned, sameSubject).values()) {
      const [{ case: id, variant }] = own;
      const judged = verdictsFor(own[0]).filter((one) => one.id === id && one.variant === variant);
      const found = judged.flatMap((one) => itemOf(one, own));
      pushAll(all, found);
      if (found.length > 0) continue;
      pushAll(
        unmatched,
        own.map((label) => ({ label, reason: reasonOf(label) })),
      );
    }
  }
  const items = withoutOldNames(all, casesIn);
  const byJudge = groupBy(items, ({ judge }) => judge);
  const rows = [...byJudge.values()].flatMap((own) =>
    (['cases', 'turns'] as const).flatMap((of) => {
      const some = own.filter(({ turn }) => (turn === undefined) === (of === 'cases'));
      const each = [...groupBy(some, ({ assertion }) => assertion.key).values()];
      const [first] = some;
      if (!first) return [];
      const { assertion: _none, ...all } = rowOf([first, ...some.slice(1)], of);
      return [all, ...each.map((one) => rowOf(one, of))];
    }),
  );
  return { rows, items, disagreements: items.filter(isDisagreement), unmatched };
}

/** A label's folder identifies its eval file. */
function folderOf({ path }: Pick<PlacedLabel, 'path'>): string {
  return dirname(path);
}

/** Leaves out a judge's verdicts on renamed cases under their old names if it judged them again under the new ones. */
function withoutOldNames(items: readonly LabeledItem[], casesIn: CaseFinder): LabeledItem[] {
  const isOld = ({ suite, id, variant }: LabeledItem) =>
    casesIn(labelsFolder(suite))?.(id, variant) === false;
  const keysOf = ({ judge, labels }: LabeledItem) =>
    labels.map(({ path, line }) => JSON.stringify([judge, path, line]));
  const current = new Set(items.filter((one) => !isOld(one)).flatMap(keysOf));
  return items.filter((one) => !isOld(one) || !keysOf(one).some((key) => current.has(key)));
}

interface FoundVerdict extends CaseIdentity {
  readonly assertion: ComparisonAssertion;
  readonly verdict: ComparedVerdict;
  readonly question: string | undefined;
}

/** Finds each judge's first verdict per case on a label's conversation and assertion, by the folder of the label. */
export function verdictsIn({ cases }: ComparisonData) {
  const found = new Map<string, FoundVerdict[]>();
  const seen = new Set<string>();
  for (const { suite, id, variant, assertions, nested } of cases.values()) {
    const folder = labelsFolder(suite);
    for (const assertion of [...assertions.values(), ...nested.values()]) {
      for (const verdict of assertion.verdicts) {
        const { conversation, judge, question } = verdict;
        const subject = JSON.stringify([folder, conversation, assertion.key]);
        const own = JSON.stringify([subject, id, variant, judge]);
        if (seen.has(own)) continue;
        seen.add(own);
        addTo(found, subject, { suite, id, variant, assertion, verdict, question });
      }
    }
  }
  return (folder: string) =>
    (label: Pick<PlacedLabel, 'conversation_hash' | 'assertion'>): readonly FoundVerdict[] =>
      found.get(JSON.stringify([folder, label.conversation_hash, label.assertion])) ?? [];
}

function itemOf(
  { suite, id, variant, assertion, verdict }: FoundVerdict,
  labels: readonly [PlacedLabel, ...PlacedLabel[]],
): LabeledItem[] {
  const [{ turn }] = labels;
  const status = turn === undefined ? verdict.status : statusesOf(verdict).get(turn);
  if (status === undefined) return [];
  const people = majority(labels);
  const now = { conversation: verdict.conversation, question: verdict.question };
  const isOther = labels.some((one) => validityOf(one, now) === 'other-question');
  return [
    {
      suite,
      id,
      ...(variant !== undefined && { variant }),
      judge: verdict.judge ?? NO_JUDGE,
      assertion: { key: assertion.key, name: assertion.name },
      ...(turn !== undefined && { turn }),
      status,
      score: verdict.score,
      threshold: verdict.threshold,
      ...(people && { people }),
      labels,
      standing: isOther ? 'other-question' : 'current',
      path: assertion.path,
      line: assertion.line,
    },
  ];
}

/** Why labels match no verdict. */
function unmatchedReasonsIn({
  cases,
}: ComparisonData): (label: PlacedLabel) => UnmatchedLabel['reason'] {
  const known = new Set<string>();
  for (const { suite, id, variant, executions } of cases.values()) {
    const folder = labelsFolder(suite);
    known.add(JSON.stringify([folder, id, variant]));
    for (const { conversation } of executions) {
      known.add(JSON.stringify([folder, conversation]));
      known.add(JSON.stringify([folder, id, variant, conversation]));
    }
  }
  return (label) => {
    const { case: id, variant, conversation_hash: hash } = label;
    const isKnown = (...key: unknown[]) => known.has(JSON.stringify([folderOf(label), ...key]));
    if (isKnown(id, variant)) return isKnown(id, variant, hash) ? 'not-judged' : 'earlier-text';
    return isKnown(hash) ? 'not-judged' : 'not-run';
  };
}

export function isDecided(status: Status | undefined): status is 'pass' | 'fail' {
  return status === 'pass' || status === 'fail';
}

function isDisagreement({ status, people }: LabeledItem): boolean {
  if (people === undefined) return true;
  return isDecided(status) && people !== status;
}

function rowOf(
  items: readonly [LabeledItem, ...LabeledItem[]],
  of: AgreementRow['of'],
): AgreementRow {
  const [{ judge, assertion }] = items;
  const compared = items.flatMap((one) =>
    isDecided(one.status) && isDecided(one.people)
      ? [{ judge: one.status, people: one.people, standing: one.standing }]
      : [],
  );
  const confusion = confusionOf(compared);
  const count = (holds: (item: LabeledItem) => boolean) => items.filter(holds).length;
  return {
    judge,
    assertion,
    of,
    compared: compared.length,
    confusion,
    ...ratesOf(confusion),
    kappa: kappaOf(confusion) ?? null,
    alpha: krippendorffAlpha(items.map(({ labels }) => labels.map(({ status }) => status))) ?? null,
    people: [...new Set(items.flatMap(({ labels }) => labels.map(({ person }) => person)))].sort(),
    unjudged: count((one) => isDecided(one.people) && !isDecided(one.status)),
    notApplicable: count((one) => one.people === 'skipped' && isDecided(one.status)),
    split: count((one) => one.people === undefined),
    otherQuestion: compared.filter(({ standing }) => standing === 'other-question').length,
  };
}

/** A place where a conversation was judged. */
interface JudgedPlace extends CaseRef {
  /** Absolute path of the run's record. */
  readonly record: string;
}

/** Eval files' labels, and the verdicts that they may be about. */
export interface LabeledRuns {
  readonly labels: readonly PlacedLabel[];
  readonly problems: readonly LabelProblem[];
  readonly data: ComparisonData;
  readonly casesIn: CaseFinder;
  /** The location of an item's verdict: the newest run in which the judge judged its conversation. */
  placeOf(item: LabeledItem): JudgedPlace | undefined;
}

/**
 * Reads eval files' labels and the verdicts of their latest runs.
 *
 * @param files absolute paths
 * @param readCases returns undefined if the file can't be read
 * @returns undefined if aborted
 */
export async function readLabeledRuns(
  files: readonly string[],
  readCases: (file: string) => Promise<HasCase | undefined>,
  signal?: AbortSignal,
): Promise<LabeledRuns | undefined> {
  const labels: PlacedLabel[] = [];
  const problems: LabelProblem[] = [];
  const data = new ComparisonData();
  const places = new Map<string, JudgedPlace>();
  const cases = new Map<string, HasCase | undefined>();
  for (const file of files) {
    const own = await readLabels(file);
    pushAll(problems, own.problems);
    for (const label of own.labels) labels.push(label);
    if (own.labels.length === 0) continue;
    const hasCase = await readCases(file);
    cases.set(labelsFolder(file), hasCase);
    const ids = new Set(own.labels.map((one) => one.case));
    const hashes = new Set(own.labels.map((one) => one.conversation_hash));
    // The new names of renamed cases aren't known yet.
    const isEachInFile = own.labels.every((one) => hasCase?.(one.case, one.variant));
    for await (const { line, record } of labeledLines(file, isEachInFile ? ids : undefined)) {
      if (signal?.aborted) return undefined;
      const { suite, id, variant, repetition } = line;
      const hash = conversationHash(line.conversation);
      if (!ids.has(id) && !hashes.has(hash)) continue;
      data.add(line);
      for (const { judge } of line.verdicts) {
        const key = placeKey(line, hash, judge?.model ?? NO_JUDGE);
        if (!places.has(key)) places.set(key, { suite, id, variant, repetition, record });
      }
    }
  }
  const placeOf: LabeledRuns['placeOf'] = (item) =>
    places.get(placeKey(item, item.labels[0].conversation_hash, item.judge));
  return { labels, problems, data, casesIn: (folder) => cases.get(folder), placeOf };
}

function placeKey(identity: CaseIdentity, conversation: string, judge: string): string {
  return JSON.stringify([caseKey(identity), conversation, judge]);
}
