import { type Conversation, turnsOf } from '../core/conversation.ts';
import type { Known } from './contract.ts';

/** What is known of a conversation that has happened. */
export function knownOf(conversation: Conversation): Required<Omit<Known, 'reporting'>> {
  const turns = turnsOf(conversation);
  const items = turns.flatMap((turn) => turn.items);
  return {
    hasSystemText: [...conversation.entries, ...items].some(({ kind }) => kind === 'system'),
    hasRetrievedContext: turns.some(({ retrievalContext = [] }) => retrievalContext.length > 0),
    hasToolCalls: items.some(({ kind }) => kind === 'tool-call'),
    hasToolResults: items.some((item) => item.kind === 'tool-call' && item.result !== undefined),
    hasExpected: turns.some(({ expected }) => expected !== undefined),
  };
}
