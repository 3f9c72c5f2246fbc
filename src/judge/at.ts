import { type ChosenTurns, chosenTurns, selectTurns } from '../core/at.ts';
import { type Conversation, type Turn, turnsOf } from '../core/conversation.ts';
import type { Assertion } from '../core/suite.ts';

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
  if (assertion.scriptedTurn !== undefined) {
    const reply = replyTurns[assertion.scriptedTurn];
    // A type that looks at the user looks at the turn that the reply is to.
    const subject = reply !== undefined && side === 'user' ? reply - 1 : reply;
    return chosenTurns(
      turnsOf(conversation).filter(({ number }) => number === subject),
      'the scripted turn has no reply',
    );
  }
  return selectTurns(assertion.at, conversation, side);
}
