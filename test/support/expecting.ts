import { type Conversation, toConversation } from '../../src/core/conversation.ts';
import { assistant, user } from './judging.ts';

/**
 * A conversation in which turns 2 and 4 use retrieved context. The expected answer is for turn 4, or for turn 6, which
 * uses no context.
 */
export function expecting(turn: 4 | 6): Conversation {
  const said = (number: number) => (number === turn ? { expected: `Good reply ${number}.` } : {});
  return toConversation([
    { message: user('Returns?') },
    { message: assistant('They are free.', ['Returns are free.']), ...said(2) },
    { message: user('How long?') },
    { message: assistant('30 days.', ['Returns take 30 days.', 'Hats.', 'Receipts.']), ...said(4) },
    { message: user('Thanks.') },
    { message: assistant('Bye.'), ...said(6) },
  ]);
}
