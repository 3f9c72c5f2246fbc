import type { AssertionInput, CaseFacts } from '../../assertions/contract.ts';
import { expectationsText } from '../../assertions/shared/promptVariables.ts';
import type { Example } from '../../core/record/label.ts';
import { fence } from '../../core/text/visibleText.ts';
import { canonicalJson } from '../../node/hashes.ts';

/** As a judge reads them; empty where there is none. */
const TEXTS = {
  role: ({ role = '' }: CaseFacts) => role,
  topics: ({ topics }: CaseFacts) => topics.join('\n'),
  tools: ({ tools }: CaseFacts) => (tools.length === 0 ? '' : JSON.stringify(tools, null, 1)),
  expectations: expectationsText,
  context: ({ context }: CaseFacts) =>
    Object.keys(context).length === 0 ? '' : JSON.stringify(context, null, 1),
};

/**
 * The facts of an example's case that are others than those of the case to judge, where that makes it another question.
 *
 * @param isAsked whether the question is the same with these facts
 */
export function otherFacts(
  { facts: here }: AssertionInput,
  { case: id, facts }: Example,
  isAsked: (facts: CaseFacts) => boolean,
): string[] {
  const { role, ...rest } = facts;
  const there: CaseFacts = { id, ...rest, ...(role !== undefined && { role }) };
  return (['role', 'topics', 'tools', 'expectations', 'context'] as const).flatMap((name) => {
    if (canonicalJson(here[name]) === canonicalJson(there[name])) return [];
    const { [name]: _, ...others } = here;
    if (isAsked({ ...others, [name]: there[name] } as CaseFacts)) return [];
    const text = TEXTS[name](there);
    return text === ''
      ? [`[facts of this example's case: no ${name}]`]
      : [`[facts of this example's case: ${name}]`, fence(text)];
  });
}
