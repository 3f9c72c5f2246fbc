import type { Turn } from '../../core/conversation.ts';
import { capitalized } from '../../core/presentation/capitalized.ts';
import { stepsOf } from '../../core/steps.ts';
import type { TurnVerdict } from '../../core/verdict.ts';
import type { AssertionInput, Outcome } from '../contract.ts';
import { decidedTurn, hitsAndMisses, notApplicable } from './entries.ts';

/** What a check says of one turn; `holds` is undefined if it cannot tell. */
export interface TurnFinding {
  readonly holds: boolean | undefined;
  /** To be read after `Turn 4: `. */
  readonly rationale: string;
}

interface Wording {
  /** What was found, to be read after `Turn 4`: `is JSON`. */
  claim(found: boolean): string;
  /** Where no turn could be told: a stable kebab-case reason and a sentence. */
  readonly undecided?: { readonly reason: string; readonly rationale: string };
}

const NO_TEXT = { reason: 'no-turns', rationale: 'The turns have no text.' };

/**
 * One entry for each chosen turn, whatever `at` says. Score: turns that hold ÷ turns that could be
 * told; negated, turns that do not hold.
 */
export async function shareOfTurns(
  { turns, assertion: { negate } }: AssertionInput,
  look: (turn: Turn) => TurnFinding | Promise<TurnFinding>,
  { claim, undecided = NO_TEXT }: Wording,
  details: Readonly<Record<string, unknown>> = {},
): Promise<Outcome> {
  const step = stepsOf();
  const entries: TurnVerdict[] = [];
  for (const turn of turns) {
    const { holds, rationale } = await look(turn);
    entries.push(
      holds === undefined
        ? { turn: turn.number, status: 'skipped', score: null, rationale }
        : decidedTurn(turn.number, holds !== negate, rationale),
    );
    await step();
  }
  const decided = entries.filter(({ status }) => status !== 'skipped').length;
  if (decided === 0) return notApplicable(undecided.reason, undecided.rationale, entries);
  const { hits, misses } = hitsAndMisses(entries);
  return {
    kind: 'scored',
    score: hits.length / decided,
    rationale: `${capitalized(claim(!negate))}: ${hits.length} of ${decided} turns.`,
    turns: entries,
    hits,
    misses,
    details,
  };
}
