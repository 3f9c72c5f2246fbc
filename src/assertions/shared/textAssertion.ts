import * as z from 'zod';
import { type Turn, textOf } from '../../core/conversation.ts';
import type { AssertionInput, DeterministicType, Finding, TypeDocs } from '../contract.ts';
import { checkedType } from './checkedType.ts';
import { citing, decidedTurn, numbersOf } from './entries.ts';
import { shareOfTurns } from './shareOfTurns.ts';

type Claim = (found: boolean) => string;

interface TextAssertion<Params extends z.ZodObject> {
  readonly type: string;
  readonly summary: string;
  readonly docs: TypeDocs;
  readonly params: Params;
  /** What was found, to be read after `Turn 4`: `contains "98765"`, `does not contain "98765"`. */
  claim(params: z.infer<Params>, found: boolean): string;
  holds(text: string, params: z.infer<Params>): boolean;
}

export const ignoreCase = z
  .boolean()
  .default(false)
  .meta({ description: 'If true, ignore upper and lower case.' });

/**
 * An assertion type about what the assistant said. With `at: each` every chosen turn is checked and
 * the score is the share that holds; otherwise the texts of the chosen turns are checked as one.
 * `negate` asks for the opposite.
 */
export function textAssertion<Params extends z.ZodObject>({
  claim: claimOf,
  holds: holdsFor,
  ...type
}: TextAssertion<Params>): DeterministicType {
  return checkedType({
    ...type,
    check(input, params) {
      const claim = (found: boolean) => claimOf(params, found);
      const holds = (text: string) => holdsFor(text, params);
      if (input.assertion.at.kind !== 'each') return checkJoined(input, claim, holds);
      const look = (turn: Turn) => {
        const found = holds(textOf(turn));
        return { holds: found, rationale: claim(found) };
      };
      return shareOfTurns(input, look, { claim });
    },
  });
}

function checkJoined(
  { turns, assertion: { negate } }: AssertionInput,
  claim: Claim,
  holds: (text: string) => boolean,
): Finding {
  const found = holds(turns.map(textOf).join('\n\n'));
  const passed = found !== negate;
  // What several turns lack together, none of them lacks in particular.
  const several = found ? turns.filter((turn) => holds(textOf(turn))) : [];
  const speaking = turns.length === 1 ? turns : several;
  const entries = speaking.map((turn) => {
    const own = holds(textOf(turn));
    return decidedTurn(turn.number, own !== negate, claim(own));
  });
  const where = `Turn${turns.length === 1 ? '' : 's'} ${numbersOf(turns)}`;
  const summary = `${where}: ${claim(found)}`;
  const cited =
    entries.length > 0 ? entries.map((one) => citing(one.turn, one.rationale)) : [summary];
  return {
    kind: 'scored',
    score: passed ? 1 : 0,
    rationale: `${summary}.`,
    turns: entries,
    hits: passed ? cited : [],
    misses: passed ? [] : cited,
    details: {},
  };
}
