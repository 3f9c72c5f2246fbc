import { fence } from '../../core/text/visibleText.ts';
import { traitsOf } from '../caseNeeds.ts';
import type { AssertionInput } from '../contract.ts';
import { claimsQuestion } from '../shared/claims.ts';
import { notApplicable } from '../shared/entries.ts';
import { judgedType } from '../shared/kinds.ts';
import { CLAIMS } from '../shared/questions.ts';

const INSTRUCTIONS = `Question: is what the assistant claims grounded in what it was given?

It was given the retrieved context and the tool results in the conversation up to each turn, its system texts, and
the context below, if any. For each turn list under \`claims\` the claims that it makes, one by one. ${CLAIMS} A claim holds
if something given supports it, or if it only repeats what the user had said; it does not hold if it goes beyond
that or contradicts it. A turn without claims is not applicable.`;

export const groundedness = judgedType({
  type: 'groundedness',
  summary: "Are the assistant's claims grounded in what it was given?",
  like: 'Azure',
  docs: {
    asks: "The judge splits each assistant turn into claims, and decides whether each is grounded in retrieved context, tool results, system messages, or the case's `context`.",
    score: 'grounded claims ÷ all claims, over all turns.',
    example: '6 of 9 claims are grounded: 6 ÷ 9 = 0.67.',
    skipped:
      'without asking the judge if the assistant had neither context nor tool results; also skipped if the assistant makes no claims.',
    more: 'If the case has a `context`, the assertion can be judged, whatever the target reports.',
    differences: `
      - Azure rates the conversation as a whole, from 1 to 5. Here, the score is the share of claims that are grounded.
      - If the assistant was given nothing or makes no claims, the verdict is skipped.
    `,
    yaml: `
      - type: groundedness
        threshold: 0.8
    `,
  },
  readsContext: true,
  // The case's own context is in the file, so the target doesn't need to report it.
  sees: ({ context }) => (Object.keys(context).length > 0 ? [] : ['context', 'tool_calls']),
  idle({ context }, { hasRetrievedContext, hasToolResults }) {
    if (Object.keys(context).length > 0) return undefined;
    if (hasRetrievedContext !== false || hasToolResults !== false) return undefined;
    return 'the conversation has neither `retrieval_context` nor tool results, and the case has no `context`';
  },
  question(input) {
    if (!hasContext(input)) {
      const rationale = 'The assistant was given neither context nor tool results.';
      return notApplicable('no-context', rationale);
    }
    const { context } = input.facts;
    const given =
      Object.keys(context).length === 0
        ? ''
        : `\n\nThe context:\n${fence(JSON.stringify(context, null, 1))}`;
    const instructions = `${INSTRUCTIONS}${given}`;
    const claims = { what: 'claims', wrong: 'not grounded', nothing: 'Nothing is claimed.' };
    return claimsQuestion({ instructions, ...claims }, 'claims');
  },
});

/**
 * Whether any context is available. Context retrieved in an earlier turn counts for later turns, even if only those are
 * judged.
 */
function hasContext({ conversation, facts }: AssertionInput): boolean {
  const { hasToolResults, hasRetrievedContext } = traitsOf(conversation);
  return hasToolResults || hasRetrievedContext || Object.keys(facts.context).length > 0;
}
