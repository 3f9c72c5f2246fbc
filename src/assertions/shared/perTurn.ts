import * as z from 'zod';
import type { AssertionInput, Question } from '../contract.ts';
import {
  entriesOnly,
  fromVerdictEntries,
  hitsAndMisses,
  meanOfTurns,
  notApplicable,
  rationaleSchema,
  verdictEntrySchema,
} from './entries.ts';

const answerSchema = z.object({ turns: z.array(verdictEntrySchema), rationale: rationaleSchema });

type Answer = z.infer<typeof answerSchema>;

/**
 * A question that is answered by a pass or a fail for each judged turn.
 * Score: turns that pass ÷ applicable turns.
 */
export function perTurnQuestion(
  name: string,
  instructions: string,
  { turns }: AssertionInput,
): Question<Answer> {
  return {
    name,
    instructions,
    turns,
    answer: answerSchema,
    parts: entriesOnly(),
    conclude(answer) {
      const verdicts = fromVerdictEntries(answer.turns, turns);
      const score = meanOfTurns(verdicts);
      if (score === undefined) {
        return notApplicable('not-applicable', answer.rationale, verdicts);
      }
      return {
        kind: 'scored',
        score,
        label: score === 1 ? 'yes' : 'no',
        rationale: answer.rationale,
        turns: verdicts,
        ...hitsAndMisses(verdicts),
        details: {},
      };
    },
  };
}
