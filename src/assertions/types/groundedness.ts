import * as z from 'zod';
import { fence } from '../../core/fence.ts';
import type { AssertionInput, JudgedType } from '../contract.ts';
import { knownOf } from '../known.ts';
import { claimsQuestion } from '../shared/claims.ts';
import { notApplicable } from '../shared/entries.ts';

const INSTRUCTIONS = `Question: is what the assistant claims grounded in what it was given?

Given to it are the retrieved context and the tool results in the conversation up to each turn, its system texts, and
the context below, if any. For each turn list under \`claims\` every statement of fact that it makes about the matter,
one by one. A claim holds when something given bears it out, or when it only repeats what the user had said; it does
not hold when it goes beyond that or contradicts it. Questions, offers and courtesies are no claims; a turn without
claims is not applicable.`;

export const groundedness: JudgedType = {
  kind: 'judged',
  type: 'groundedness',
  summary: 'Is what the assistant claims grounded in what it was given?',
  like: 'Azure',
  docs: {
    asks: "Takes each assistant turn apart into claims, each grounded or not in retrieved context, tool results, system texts or the case's `context`.",
    score: 'grounded ÷ claims, over all turns.',
    example: '9 claims, 6 of them grounded: 6 ÷ 9 = 0.67.',
    skipped:
      'without asking where the assistant was given neither context nor tool results; skipped where nothing is claimed.',
    yaml: `
      - type: groundedness
        threshold: 0.8
    `,
  },
  params: z.strictObject({}),
  defaultThreshold: 0.5,
  side: 'assistant',
  readsContext: true,
  idle({ context }, { hasRetrievedContext, hasToolResults }) {
    if (Object.keys(context).length > 0) return undefined;
    if (hasRetrievedContext !== false || hasToolResults !== false) return undefined;
    return 'the conversation has neither `retrieval_context` nor tool results, and the case no `context`';
  },
  question(input) {
    if (!hasGround(input)) {
      const rationale = 'The assistant was given neither context nor tool results.';
      return notApplicable('no-context', rationale);
    }
    const { context } = input.facts;
    const given =
      Object.keys(context).length === 0
        ? ''
        : `\n\nThe context:\n${fence(JSON.stringify(context, null, 1))}`;
    return claimsQuestion(
      {
        name: 'groundedness',
        instructions: `${INSTRUCTIONS}${given}`,
        what: 'claims',
        wrong: 'not grounded',
        per: 'claims',
        nothing: 'Nothing is claimed.',
      },
      input,
    );
  },
};

/** What an earlier turn retrieved is ground for later ones, also where only these are judged. */
function hasGround({ conversation, facts }: AssertionInput): boolean {
  const { hasToolResults, hasRetrievedContext } = knownOf(conversation);
  return hasToolResults || hasRetrievedContext || Object.keys(facts.context).length > 0;
}
