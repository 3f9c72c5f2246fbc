import { groupBy } from '../core/data/data.ts';
import {
  type Example,
  type ExamplesFor,
  type ExampleVerdict,
  majority,
  type PlacedLabel,
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
    return (await reading)
      .filter(({ key, question }) => key === assertion.key && question === questionOf(assertion))
      .map(({ example }) => example)
      .filter((one) => isOther(judged, one) && isAmong(judged, one));
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
  const { labels } = await readLabels(path);
  const subjects = groupBy(labels, (one) => JSON.stringify([one.conversation_hash, one.assertion]));
  const conversations = new Map<string, ReturnType<typeof readLabeledConversation>>();
  const found: LabeledAssertion[] = [];
  for (const own of subjects.values()) {
    const [{ case: id, variant, conversation_hash: hash, assertion: key }] = own;
    const verdicts = verdictsOf(own);
    if (!verdicts.some(({ status }) => status !== 'skipped')) continue;
    const assertion = await assertionIn(cases, id, variant, key);
    if (!assertion) continue;
    const reading = conversations.get(hash) ?? readLabeledConversation(path, hash);
    conversations.set(hash, reading);
    const kept = await reading;
    if (!kept) continue;
    const named = { case: id, ...(variant !== undefined && { variant }), hash };
    found.push({ key, question: questionOf(assertion), example: { ...named, ...kept, verdicts } });
  }
  return found;
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

async function assertionIn(
  cases: readonly SuiteCase[],
  id: string,
  variant: string | undefined,
  key: string,
): Promise<Assertion | undefined> {
  const found = cases.find((one) => one.id === id && one.variant === variant);
  const { suiteCase = found } = (await found?.open?.()) ?? {};
  return suiteCase && findAssertion(suiteCase.assertions, key);
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
