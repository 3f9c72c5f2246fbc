import { claimsQuestion, retrievalType } from '../shared/claims.ts';

const INSTRUCTIONS = `Question: does the context that was retrieved for each turn hold everything that a good reply needs?

What a good reply says is given below. For each turn list its statements under \`claims\`, one by one. A statement holds
if it can be drawn from the retrieved context of that turn, whether or not the assistant said it. A turn of which
the expected text says nothing is not applicable.`;

export const turnContextualRecall = retrievalType({
  type: 'turn-contextual-recall',
  summary: 'Does the retrieved context contain everything that a good reply needs?',
  docs: {
    asks: "Needs `expected` on the turns, or `expectations` with an `outcome`. The judge splits the expected reply into statements, and decides whether each can be attributed to the turn's `retrieval_context`.",
    score: 'mean over the judged turns of attributable statements ÷ all statements.',
    example: 'in two turns, 2 of 2 and 1 of 2 statements are attributable: (1 + 0.5) ÷ 2 = 0.75.',
    skipped:
      'without asking the judge if no turn has retrieved context, or none of the turns with context has `expected`.',
    differences: `
      - Each turn is compared only with its own context. For each exchange, DeepEval uses the contexts of up to ten exchanges.
      - The \`expected\` of a turn takes precedence over the \`outcome\` of the case. DeepEval has one expected outcome for all turns.
      - A turn without context is not judged. DeepEval scores an exchange 1 if none of those ten exchanges has any context.
    `,
    yaml: `
      defaults:
        expectations: Returns are free within 30 days, with the receipt.
        assert:
          - type: turn-contextual-recall
    `,
  },
  expected: true,
  question: () =>
    claimsQuestion({
      instructions: INSTRUCTIONS,
      what: 'statements',
      wrong: 'not in the context',
      nothing: 'Nothing is expected.',
    }),
});
