import * as z from 'zod';
import type { JudgedType } from '../contract.ts';
import { claimsQuestion } from '../shared/claims.ts';
import { aboutRetrieval, idleWithoutContext } from '../shared/retrieval.ts';

const INSTRUCTIONS = `Question: does what the assistant says keep to the context that it had retrieved?

For each turn list under \`claims\` every statement of fact in what it says, one by one. A claim holds when the context
retrieved for that very turn bears it out, not when that contradicts it or is silent about it. What the user had said
may be repeated without it. Questions, offers and courtesies are no claims; a turn without claims is not applicable.`;

export const turnFaithfulness: JudgedType = {
  kind: 'judged',
  type: 'turn-faithfulness',
  summary: 'Does each turn keep to the context that was retrieved for it?',
  like: 'DeepEval',
  docs: 'Takes each turn with `retrieval_context` apart into claims, each supported by that context or not.\n\nScore: mean over these turns of supported ÷ claims. Each turn counts once, wherever it stands.\n\nExample: five turns with one claim each, one of them not supported: (1 + 1 + 1 + 1 + 0) ÷ 5 = 0.8.\n\nSkipped, without asking, where no turn has retrieved context.\n\n```yaml\n- type: turn-faithfulness\n  threshold: 0.9\n```',
  params: z.strictObject({}),
  defaultThreshold: 0.5,
  side: 'assistant',
  idle: idleWithoutContext,
  question: (input) =>
    aboutRetrieval(input, (narrowed) =>
      claimsQuestion(
        {
          name: 'turn_faithfulness',
          instructions: INSTRUCTIONS,
          what: 'claims',
          wrong: 'not supported',
          per: 'turns',
          nothing: 'No turn claims anything.',
        },
        narrowed,
      ),
    ),
};
