import { type Conversation, type Turn, turnsOf } from '../core/conversation.ts';
import type { Assertion, At } from '../core/suite.ts';

export type ChosenTurns =
  | { readonly turns: readonly Turn[] }
  /** `wrong` tells a mistake in the file from a conversation that has no such turn. */
  | { readonly missing: string; readonly wrong: boolean };

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
    return chosen(
      all.filter(({ number }) => number === reply),
      'the scripted turn has no reply',
      false,
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
      return chosen(ofSide, nobody, false);
    case 'first':
      return chosen(ofSide.slice(0, 1), nobody, false);
    case 'last':
      return chosen(ofSide.slice(-1), nobody, false);
    case 'range':
      return chosen(
        ofSide.filter(({ number }) => number >= at.from && number <= at.to),
        `${nobody} from ${at.from} to ${at.to}`,
        true,
      );
    case 'turns': {
      const found: Turn[] = [];
      for (const number of at.turns) {
        const turn = all.at(number > 0 ? number - 1 : number);
        if (!turn || (number > 0 && turn.number !== number)) {
          return { missing: `there is no turn ${number}, the last is ${all.length}`, wrong: true };
        }
        if (side !== 'both' && turn.side !== side) {
          return {
            missing: `turn ${turn.number} is the ${turn.side}'s, and this looks at the ${side}'s turns`,
            wrong: true,
          };
        }
        if (!found.includes(turn)) found.push(turn);
      }
      return chosen(
        found.sort((a, b) => a.number - b.number),
        nobody,
        true,
      );
    }
  }
}

function chosen(turns: readonly Turn[], missing: string, wrong: boolean): ChosenTurns {
  return turns.length === 0 ? { missing, wrong } : { turns };
}
