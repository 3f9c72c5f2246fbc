import type { Turn } from '../../core/conversation.ts';
import type { TurnVerdict } from '../../core/verdict.ts';
import type { AssertionInput, Outcome } from '../contract.ts';
import { hitsAndMisses, notApplicable } from './entries.ts';

/** What a check says of one turn; `holds` is undefined where it cannot tell. */
export interface TurnFinding {
  readonly holds: boolean | undefined;
  /** To be read after `Turn 4: `. */
  readonly rationale: string;
}

interface Wording {
  /** What was found, to be read after `2 of 3 turns: `. */
  claim(found: boolean): string;
  /** Where no turn could be told: a stable kebab-case reason and a sentence. */
  readonly untold: { readonly reason: string; readonly rationale: string };
}

/**
 * One entry for each chosen turn, whatever `at` says. Score: turns that hold ÷ turns that could be
 * told; negated, turns that do not hold.
 */
export function shareOfTurns(
  { turns, assertion: { negate } }: AssertionInput,
  look: (turn: Turn) => TurnFinding,
  { claim, untold }: Wording,
  details: Readonly<Record<string, unknown>> = {},
): Outcome {
  const entries = turns.map((turn): TurnVerdict => {
    const { holds, rationale } = look(turn);
    const common = { turn: turn.number, rationale };
    if (holds === undefined) return { ...common, status: 'skipped', score: null };
    const passed = holds !== negate;
    return { ...common, status: passed ? 'pass' : 'fail', score: passed ? 1 : 0 };
  });
  const told = entries.filter(({ status }) => status !== 'skipped').length;
  if (told === 0) return notApplicable(untold.reason, untold.rationale, entries);
  const { hits, misses } = hitsAndMisses(entries);
  return {
    kind: 'scored',
    score: hits.length / told,
    rationale: `${hits.length} of ${told} turns: ${claim(!negate)}.`,
    turns: entries,
    hits,
    misses,
    details,
  };
}
