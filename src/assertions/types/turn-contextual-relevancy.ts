import { retrievalClaims } from '../shared/retrievalClaims.ts';

const INSTRUCTIONS = `Question: is what was retrieved for each turn relevant to what the user wanted to know then?

For each turn list under \`claims\` the statements of its retrieved context, one by one, in order. A statement holds when
it helps to answer what the user asked just before, not when the answer needs nothing of it. Judge the context, not what the assistant made of it.`;

export const turnContextualRelevancy = retrievalClaims({
  type: 'turn-contextual-relevancy',
  summary: 'Is the retrieved context of each turn relevant to the question?',
  docs: {
    asks: 'Takes the `retrieval_context` of each turn apart into statements, each relevant to the question or not.',
    score: 'mean over these turns of relevant ÷ statements.',
    example: 'two turns, 3 of 4 and 1 of 2 statements relevant: (0.75 + 0.5) ÷ 2 = 0.63.',
    skipped: 'without asking where no turn has retrieved context.',
    yaml: `
      - type: turn-contextual-relevancy
    `,
  },
  instructions: INSTRUCTIONS,
  what: 'statements',
  wrong: 'not relevant',
  nothing: 'The context states nothing.',
});
