import { claimsQuestion, retrievalType } from '../shared/claims.ts';

const INSTRUCTIONS = `Question: is what was retrieved for each turn relevant to what the user wanted to know then?

For each turn list under \`claims\` the statements of its retrieved context, one by one, in order. A statement holds if
it helps to answer what the user asked just before, and does not if the answer needs nothing of it. Judge the context, not what the
assistant made of it.`;

export const turnContextualRelevancy = retrievalType({
  type: 'turn-contextual-relevancy',
  summary: "Is each turn's retrieved context relevant to the question?",
  docs: {
    asks: "The judge splits each turn's `retrieval_context` into statements, and decides whether each is relevant to the question.",
    score: 'mean over the judged turns of relevant statements ÷ all statements.',
    example: 'in two turns, 3 of 4 and 1 of 2 statements are relevant: (0.75 + 0.5) ÷ 2 = 0.63.',
    skipped: 'without asking the judge if no turn has retrieved context.',
    differences: `
      - Only the turn's own context is judged. For each exchange, DeepEval judges the contexts of up to ten exchanges together.
      - A turn without context is not judged. DeepEval scores an exchange 1 if none of those ten exchanges has any context.
    `,
    yaml: '- type: turn-contextual-relevancy',
  },
  question: () =>
    claimsQuestion({
      instructions: INSTRUCTIONS,
      what: 'statements',
      wrong: 'not relevant',
      nothing: 'The context states nothing.',
    }),
});
