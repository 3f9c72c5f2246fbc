import type { AssertionType } from '../../assertions/contract.ts';
import type { At } from '../../core/suite.ts';
import { placeOf, type Scope, type Spot } from '../scope.ts';
import type { AboutCase } from './aboutCase.ts';

/** Reads an `at` that fits the schema, and reports what it asks for in vain. */
export function readAt(
  given: unknown,
  side: AssertionType['side'],
  scriptedTurn: number | undefined,
  spot: Spot,
  about: AboutCase,
  { reporter }: Scope,
): At {
  const at = parseAt(given);
  const fault =
    scriptedTurn !== undefined && at.kind !== 'all'
      ? 'An assertion under a turn is about the reply to it; `at` cannot choose another.'
      : faultOf(at, side, about);
  if (fault !== undefined) reporter.say('bad-at', fault, placeOf(spot), spot.owner);
  return at;
}

function parseAt(value: unknown): At {
  if (value === undefined) return { kind: 'all' };
  if (typeof value === 'number') return { kind: 'turns', turns: [value] };
  if (Array.isArray(value)) return { kind: 'turns', turns: value.map(Number) };
  if (value === 'all' || value === 'last' || value === 'first' || value === 'each') {
    return { kind: value };
  }
  const [from, to] = String(value).split('-').map(Number);
  return { kind: 'range', from: from ?? 1, to: to ?? 1 };
}

function faultOf(
  at: At,
  side: AssertionType['side'],
  { turnCount, sides }: AboutCase,
): string | undefined {
  if (at.kind === 'range') {
    if (at.from > at.to) return `The range goes backwards: ${at.from} is after ${at.to}.`;
    return turnCount !== undefined && at.to > turnCount ? tooFar(at.to, turnCount) : undefined;
  }
  if (at.kind !== 'turns') return undefined;
  for (const number of at.turns) {
    if (number === 0) return 'Turns are numbered from 1; -1 is the last.';
    if (turnCount !== undefined && Math.abs(number) > turnCount) return tooFar(number, turnCount);
    const found = sides?.at(number > 0 ? number - 1 : number);
    if (found && side !== 'both' && found !== side) {
      return `Turn ${number} is the ${found}'s, and this looks at the ${side}'s turns.`;
    }
  }
  return undefined;
}

function tooFar(number: number, count: number): string {
  return `There is no turn ${number}: the conversation has ${count} turns.`;
}
