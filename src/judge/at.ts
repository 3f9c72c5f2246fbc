import { type Conversation, type Turn, turnsOf } from '../core/conversation.ts';
import type { Assertion, At } from '../core/suite.ts';
import { unreachable } from '../core/unreachable.ts';

export type ChosenTurns =
  | { readonly turns: readonly Turn[] }
  /** `fault` tells a mistake in the file from a conversation that has no turn of the side. */
  | { readonly missing: string; readonly fault?: 'beyond' | 'other-side' };

/**
 * The turns that an assertion looks at.
 *
 * @param side the side that its type looks at
 * @param replyTurns the number of the reply to each scripted turn, by the turn's place from 0
 */
export function chooseTurns(
  conversation: Conversation,
  assertion: Pick<Assertion, 'at' | 'scriptedTurn'>,
  side: Turn['side'] | 'both',
  replyTurns: readonly number[],
): ChosenTurns {
  const all = turnsOf(conversation);
  const ofSide = all.filter((turn) => side === 'both' || turn.side === side);
  if (assertion.scriptedTurn !== undefined) {
    const reply = replyTurns[assertion.scriptedTurn];
    // A type that looks at the user looks at the turn that the reply is to.
    const subject = reply !== undefined && side === 'user' ? reply - 1 : reply;
    return chosen(
      all.filter(({ number }) => number === subject),
      'the scripted turn has no reply',
    );
  }
  return chooseAt(assertion.at, all, ofSide, side);
}

function chooseAt(
  at: At,
  all: readonly Turn[],
  ofSide: readonly Turn[],
  side: Turn['side'] | 'both',
): ChosenTurns {
  const nobody = `no turn of the ${side === 'both' ? 'conversation' : side}`;
  switch (at.kind) {
    case 'all':
    case 'each':
      return chosen(ofSide, nobody);
    case 'first':
      return chosen(ofSide.slice(0, 1), nobody);
    case 'last':
      return chosen(ofSide.slice(-1), nobody);
    case 'range':
      if (at.to > all.length) return notThere(at.to, all.length);
      return chosen(
        ofSide.filter(({ number }) => number >= at.from && number <= at.to),
        `${nobody} from ${at.from} to ${at.to}`,
        'other-side',
      );
    case 'turns': {
      const found: Turn[] = [];
      for (const number of at.turns) {
        const turn = number === 0 ? undefined : all.at(number > 0 ? number - 1 : number);
        if (!turn) return notThere(number, all.length);
        if (side !== 'both' && turn.side !== side) {
          return {
            missing: `turn ${turn.number} is the ${turn.side}'s, and this looks at the ${side}'s turns`,
            fault: 'other-side',
          };
        }
        if (!found.includes(turn)) found.push(turn);
      }
      return chosen(
        found.sort((a, b) => a.number - b.number),
        nobody,
        'beyond',
      );
    }
    default:
      return unreachable(at);
  }
}

function notThere(number: number, count: number): ChosenTurns {
  return { missing: `there is no turn ${number}, the last is ${count}`, fault: 'beyond' };
}

function chosen(
  turns: readonly Turn[],
  missing: string,
  fault?: 'beyond' | 'other-side',
): ChosenTurns {
  return turns.length === 0 ? { missing, ...(fault && { fault }) } : { turns };
}
