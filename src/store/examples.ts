import { questionHash } from '../assertions/questionHash.ts';
import { groupBy } from '../core/data/data.ts';
import {
  assignLabels,
  type Example,
  type ExamplesFor,
  type ExampleVerdict,
  hasCaseOf,
  type LabelCandidate,
  majority,
  type PlacedLabel,
  sameSubject,
} from '../core/record/label.ts';
import type { Assertion, Suite, SuiteCase } from '../core/suite.ts';
import { canonicalJson } from '../node/hashes.ts';
import { readLabeledConversation, readLabels } from './labels.ts';

/** Examples for a case's assertions. @param isAmong excludes some examples, such as those in the measured fold */
export function examplesOf(
  suite: Pick<Suite, 'path' | 'cases'>,
  isAmong: (judged: SuiteCase, example: Example) => boolean = () => true,
): (judged: SuiteCase) => ExamplesFor {
  let reading: Promise<readonly LabeledAssertion[]> | undefined;
  return (judged) => async (assertion) => {
    if (assertion.examples === undefined) return [];
    reading ??= readLabeledAssertions(suite);
    const found = (await reading)
      .filter(({ key, question }) => key === assertion.key && question === questionOf(assertion))
      .map(({ example }) => example)
      .filter((one) => isOther(judged, one) && isAmong(judged, one));
    // Cases can share a conversation.
    return [...new Map(found.map((one) => [one.hash, one])).values()];
  };
}

/**
 * Whether a conversation can be an example for a case. A case's own conversations can't, except for other variants that
 * were recorded separately.
 */
function isOther({ id, variant, recorded }: SuiteCase, example: Example): boolean {
  return example.case !== id || (recorded === true && example.variant !== variant);
}

interface LabeledAssertion {
  readonly key: string;
  readonly question: string;
  readonly example: Example;
}

async function readLabeledAssertions({ path, cases }: Pick<Suite, 'path' | 'cases'>) {
  const labels = mergeRenamed((await readLabels(path)).labels, cases);
  const caseFor = caseFinder(cases, labels);
  const subjects = groupBy(labels, ({ turn: _, ...one }) => sameSubject(one));
  const conversations = new Map<string, ReturnType<typeof readLabeledConversation>>();
  const all: LabeledAssertion[] = [];
  for (const own of subjects.values()) {
    const [{ case: id, variant, conversation_hash: hash, assertion: key }] = own;
    const verdicts = verdictsOf(own);
    if (!verdicts.some(({ status }) => status !== 'skipped')) continue;
    const found = caseFor(own[0]);
    const opened = found && (await openCase(found));
    const assertion = opened && findAssertion(opened.assertions, key);
    if (!assertion) continue;
    const reading = conversations.get(hash) ?? readLabeledConversation(path, hash);
    conversations.set(hash, reading);
    const kept = await reading;
    if (!kept) continue;
    const named = { case: id, ...(variant !== undefined && { variant }), hash };
    all.push({ key, question: questionOf(assertion), example: { ...named, ...kept, verdicts } });
  }
  return all;
}

/**
 * The labels, with those of a renamed case under its new name if people have labeled the same conversation under it, or
 * if there is a verdict on it.
 *
 * @param verdictsFor finds verdicts on a label's conversation and assertion
 */
export function mergeRenamed(
  labels: readonly PlacedLabel[],
  cases: readonly SuiteCase[],
  verdictsFor: (label: PlacedLabel) => readonly LabelCandidate[] = () => [],
): PlacedLabel[] {
  const hasCase = hasCaseOf(cases);
  const keyOf = ({ conversation_hash: hash, assertion, question_hash: question }: PlacedLabel) =>
    JSON.stringify([hash, assertion, question]);
  const inFile = labels
    .filter((one) => hasCase(one.case, one.variant))
    .map((one) => ({ id: one.case, variant: one.variant, question: one.question_hash, one }));
  const candidates = groupBy(inFile, ({ one }) => keyOf(one));
  const candidatesFor = (label: PlacedLabel) => [
    ...(candidates.get(keyOf(label)) ?? []),
    ...verdictsFor(label).filter(({ id, variant }) => hasCase(id, variant)),
  ];
  return assignLabels(labels, candidatesFor, hasCase);
}

/**
 * Finds the case to judge a labeled conversation as: its own or, if that was renamed, one that asks the same question, or
 * that asked it when it was labeled.
 */
export function caseFinder(
  cases: readonly SuiteCase[],
  labels: readonly PlacedLabel[],
): (label: PlacedLabel) => SuiteCase | undefined {
  const named = groupBy(cases, ({ id, variant }) => JSON.stringify([id, variant]));
  const ownCase = (label: PlacedLabel) =>
    named.get(JSON.stringify([label.case, label.variant]))?.[0];
  const byQuestion = (key: string) => {
    const found = new Map<string | undefined, SuiteCase | undefined>();
    for (const one of labels) {
      const own = one.assertion === key && ownCase(one);
      if (own) found.set(one.question_hash, own);
    }
    for (const one of cases) {
      const assertion = findAssertion(one.assertions, key);
      if (assertion) found.set(questionHash(assertion, one), one);
    }
    return found.set(undefined, undefined);
  };
  const known = new Map<string, ReturnType<typeof byQuestion>>();
  return (label) => {
    const own = ownCase(label);
    if (own) return own;
    const asking = known.get(label.assertion) ?? byQuestion(label.assertion);
    known.set(label.assertion, asking);
    return asking.get(label.question_hash);
  };
}

/** Reads a case that hasn't been read yet. @returns undefined if it has errors */
export async function openCase(suiteCase: SuiteCase): Promise<SuiteCase | undefined> {
  return suiteCase.open ? (await suiteCase.open()).suiteCase : suiteCase;
}

/** The majority's opinion on each turn and on the whole conversation, without ties. */
export function verdictsOf(labels: readonly PlacedLabel[]): ExampleVerdict[] {
  return [...groupBy(labels, ({ turn }) => turn)]
    .sort(([a = 0], [b = 0]) => a - b)
    .flatMap(([turn, own]) => {
      const status = majority(own);
      if (status === undefined) return [];
      const agreeing = own.filter((one) => one.status === status);
      const label = agreeing.find((one) => one.label !== undefined)?.label;
      const comments = agreeing.flatMap(({ comment }) => comment ?? []);
      const about = { ...(turn !== undefined && { turn }), ...(label !== undefined && { label }) };
      return [{ ...about, status, comments }];
    });
}

/** Finds an assertion by its key, even within groups. */
export function findAssertion(all: readonly Assertion[], key: string): Assertion | undefined {
  for (const one of all) {
    if (one.key === key) return one;
    const within = findAssertion(one.nested?.map(({ assertion }) => assertion) ?? [], key);
    if (within) return within;
  }
  return undefined;
}

/** A key that is the same for assertions in different cases that ask the same question. */
function questionOf({ type, params, prompt }: Assertion): string {
  const { prompt: _path, ...own } = params;
  return canonicalJson([type, prompt ? own : params, prompt?.body, prompt?.grading]);
}
