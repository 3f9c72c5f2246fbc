import type { AssertionType, CaseFacts, Known } from '../../assertions/contract.ts';
import { parseAt } from '../../core/at.ts';
import type { Turn } from '../../core/conversation.ts';
import type { At, ModelSpec } from '../../core/suite.ts';
import type { Location, Scope } from '../scope.ts';

/** What an assertion may know about its case. */
export interface AboutCase {
  readonly facts: CaseFacts;
  readonly known: Known;
  /** The mapping of its target, if it has one. */
  readonly targetAt: Location | undefined;
  /** The side of each turn, from turn 1, if known before the run. */
  readonly sides: readonly Turn['side'][] | undefined;
  /** How many turns there are before the first live one; undefined if there is no history. */
  readonly historyTurns: number | undefined;
  readonly judge: ModelSpec | undefined;
  /** Whether anything names a judge, be it a wrong one. */
  readonly judgeNamed: boolean;
  /** What the case or the file says of asking together. */
  readonly together: boolean | undefined;
}

/** Reads an `at` that fits the schema, and reports what it asks for in vain. */
export function readAt(
  given: unknown,
  side: AssertionType['side'],
  scriptedTurn: number | undefined,
  location: Location,
  about: AboutCase,
  { reporter }: Scope,
): At {
  const at = parseAt(given ?? (scriptedTurn === undefined ? unlessSaid(about) : undefined));
  const fault =
    scriptedTurn !== undefined && at.kind !== 'all'
      ? 'An assertion under a turn checks the reply to that turn. Remove `at`.'
      : faultOf(at, side, about);
  if (fault !== undefined) reporter.say('bad-at', fault, location);
  return at;
}

/** What is looked at where an assertion does not say it. */
function unlessSaid({ historyTurns }: AboutCase): 'all' | 'live' {
  return historyTurns === undefined ? 'all' : 'live';
}

function faultOf(
  at: At,
  side: AssertionType['side'],
  { sides, historyTurns = 0 }: AboutCase,
): string | undefined {
  const turnCount = sides?.length;
  if (at.kind === 'range') {
    if (at.from > at.to) return `The range goes backwards: ${at.from} is after ${at.to}.`;
    return turnCount !== undefined && at.to > turnCount ? tooFar(at.to, turnCount) : undefined;
  }
  if (at.kind !== 'turns') return undefined;
  for (const number of at.turns) {
    if (number === 0) return 'Turns are numbered from 1. Use -1 for the last turn.';
    const counted = number > 0 ? sides : sides?.slice(historyTurns);
    if (counted && Math.abs(number) > counted.length) return tooFar(number, counted.length);
    const found = counted?.at(number > 0 ? number - 1 : number);
    if (found && side !== 'both' && found !== side) {
      return `Turn ${number} is the ${found}'s, but this looks only at the ${side}'s turns.`;
    }
  }
  return undefined;
}

function tooFar(number: number, count: number): string {
  const live = number < 0 ? ' live' : '';
  return `There is no turn ${number}: the conversation has ${count}${live} turns.`;
}
