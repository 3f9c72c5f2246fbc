import { type Conversation, type Turn, turnsOf } from '../../src/core/conversation.ts';
import type { DeepEvalTalk } from './deepeval.ts';

/**
 * How long the judge's lists are taken to be. Judges of real conversations find more, and each entry
 * is a request to DeepEval, so that its counts here are low.
 */
export const LIST_LENGTH = 2;

/** A conversation as DeepEval counts it. */
export function deepEvalTalk(conversation: Conversation): DeepEvalTalk {
  const turns = turnsOf(conversation);
  const firstUser = turns.findIndex(({ side }) => side === 'user');
  const answering =
    firstUser < 0 ? [] : turns.slice(firstUser).filter(({ side }) => side === 'assistant');
  return {
    exchanges: answering.map((turn) => ({
      contexts: turn.retrievalContext?.length ?? 0,
      callsTools: callsTools(turn),
    })),
    userTurns: turns.filter(({ side }) => side === 'user').length,
    answeringTurns: answering.length,
    listLength: LIST_LENGTH,
  };
}

function callsTools({ items }: Turn): boolean {
  return items.some(({ kind }) => kind === 'tool-call');
}
