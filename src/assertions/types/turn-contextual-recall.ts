import * as z from 'zod';
import type { JudgedType } from '../contract.ts';
import { claimsQuestion } from '../shared/claims.ts';
import { aboutExpected, idleWithoutContext, needsExpected } from '../shared/retrieval.ts';

const INSTRUCTIONS = `Question: does the context that was retrieved for each turn hold all that a good reply needs?

Below stands what a good reply holds. For each turn list its statements under \`claims\`, one by one. A statement holds
when it can be drawn from the retrieved context of that turn, whether or not the assistant said it. A turn of which
the expected text says nothing is not applicable.`;

export const turnContextualRecall: JudgedType = {
  kind: 'judged',
  type: 'turn-contextual-recall',
  summary: 'Does the retrieved context hold all that a good reply needs?',
  like: 'DeepEval',
  docs: 'Needs `expected` at the turns, or `expectations` with an `outcome`. Takes what a good reply holds apart into statements, each attributable to the `retrieval_context` of the turn or not.\n\nScore: mean over these turns of attributable ÷ statements.\n\nExample: two turns, 2 of 2 and 1 of 2 statements attributable: (1 + 0.5) ÷ 2 = 0.75.\n\nSkipped, without asking, where no turn has retrieved context, or of none that has it is said what a good reply holds.\n\n```yaml\ndefaults:\n  expectations: Returns are free within 30 days, with the receipt.\n  assert:\n    - type: turn-contextual-recall\n```',
  params: z.strictObject({}),
  defaultThreshold: 0.5,
  side: 'assistant',
  idle: idleWithoutContext,
  needs: (facts, known) => needsExpected('turn-contextual-recall', facts, known),
  question: (input) =>
    aboutExpected(input, (narrowed, expected) =>
      claimsQuestion(
        {
          name: 'turn_contextual_recall',
          instructions: `${INSTRUCTIONS}\n\n${expected}`,
          what: 'statements',
          wrong: 'not in the context',
          per: 'turns',
          nothing: 'Nothing is expected.',
        },
        narrowed,
      ),
    ),
};
