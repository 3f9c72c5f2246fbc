import * as z from 'zod';
import type { JudgedType } from '../contract.ts';
import { claimsQuestion } from '../shared/claims.ts';
import { aboutRetrieval, idleWithoutContext } from '../shared/retrieval.ts';

const INSTRUCTIONS = `Question: is what was retrieved for each turn relevant to what the user wanted to know then?

For each turn list under \`claims\` the statements of its retrieved context, one by one, in order. A statement holds when
it helps to answer what the user asked just before, not when the answer needs nothing of it. Judge the context, not what the assistant made of it.`;

export const turnContextualRelevancy: JudgedType = {
  kind: 'judged',
  type: 'turn-contextual-relevancy',
  summary: 'Is the retrieved context of each turn relevant to the question?',
  like: 'DeepEval',
  docs: 'Takes the `retrieval_context` of each turn apart into statements, each relevant to the question or not.\n\nScore: mean over these turns of relevant ÷ statements.\n\nExample: two turns, 3 of 4 and 1 of 2 statements relevant: (0.75 + 0.5) ÷ 2 = 0.63.\n\nSkipped, without asking, where no turn has retrieved context.\n\n```yaml\n- type: turn-contextual-relevancy\n```',
  params: z.strictObject({}),
  defaultThreshold: 0.5,
  side: 'assistant',
  idle: idleWithoutContext,
  question: (input) =>
    aboutRetrieval(input, (narrowed) =>
      claimsQuestion(
        {
          name: 'turn_contextual_relevancy',
          instructions: INSTRUCTIONS,
          what: 'statements',
          wrong: 'not relevant',
          per: 'turns',
          nothing: 'The context states nothing.',
        },
        narrowed,
      ),
    ),
};
