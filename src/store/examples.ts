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
import { readLabelledConversation, readLabels } from './labels.ts';

/**
 * The labeled conversations that assertions of a case can use as examples. Labels are read once, for the first assertion
 * that needs them.
 *
 * @param isAmong excludes some, such as those of the measured fold
 */
export function examplesOf(
  suite: Pick<Suite, 'path' | 'cases'>,
  isAmong: (judged: SuiteCase, example: Example) => boolean = () => true,
): (judged: SuiteCase) => ExamplesFor {
  let reading: Promise<readonly LabelledAssertion[]> | undefined;
  return (judged) => async (assertion) => {
    if (assertion.examples === undefined) return [];
    reading ??= readLabelledAssertions(suite);
    return (await reading)
      .filter(({ key, question }) => key === assertion.key && question === questionOf(assertion))
      .map(({ example }) => example)
      .filter((one) => isOther(judged, one) && isAmong(judged, one));
  };
}

/** A repetition or a variant of the same case is no example, unless each variant was recorded by itself. */
function isOther({ id, variant, recorded }: SuiteCase, example: Example): boolean {
  return example.case !== id || (recorded === true && example.variant !== variant);
}

interface LabelledAssertion {
  readonly key: string;
  readonly question: string;
  readonly example: Example;
}

async function readLabelledAssertions({ path, cases }: Pick<Suite, 'path' | 'cases'>) {
  const { labels } = await readLabels(path);
  const subjects = groupBy(labels, (one) => JSON.stringify([one.conversation_hash, one.assertion]));
  const found: LabelledAssertion[] = [];
  for (const own of subjects.values()) {
    const [{ case: id, variant, conversation_hash: hash, assertion: key }] = own;
    const verdicts = verdictsOf(own);
    if (!verdicts.some(({ status }) => status !== 'skipped')) continue;
    const kept = await readLabelledConversation(path, hash);
    const assertion = kept && (await assertionIn(cases, id, variant, key));
    if (!assertion) continue;
    const named = { case: id, ...(variant !== undefined && { variant }), hash };
    found.push({ key, question: questionOf(assertion), example: { ...named, ...kept, verdicts } });
  }
  return found;
}

/** What most people say about each turn, and about the whole; ties are left out. */
export function verdictsOf(labels: readonly PlacedLabel[]): ExampleVerdict[] {
  return [...groupBy(labels, ({ turn }) => turn)]
    .sort(([a = 0], [b = 0]) => a - b)
    .flatMap(([turn, own]) => {
      const status = majority(own);
      if (status === undefined) return [];
      const agreeing = own.filter((one) => one.status === status);
      const label = agreeing.find((one) => one.label !== undefined)?.label;
      return [
        {
          ...(turn !== undefined && { turn }),
          status,
          ...(label !== undefined && { label }),
          comments: agreeing.flatMap(({ comment }) => comment ?? []),
        },
      ];
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

/** Finds an assertion by its key, also in groups. */
export function findAssertion(all: readonly Assertion[], key: string): Assertion | undefined {
  for (const one of all) {
    if (one.key === key) return one;
    const within = findAssertion(one.nested?.map(({ assertion }) => assertion) ?? [], key);
    if (within) return within;
  }
  return undefined;
}

/** Equal for assertions of different cases with the same question. */
function questionOf({ type, params, prompt }: Assertion): string {
  const { prompt: _path, ...own } = params;
  return canonicalJson([type, prompt ? own : params, prompt?.body, prompt?.grading]);
}
