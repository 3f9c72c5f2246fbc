import { type SourcedMessage, systemMessages } from '../core/conversation.ts';
import type { LiveOrigin, ScriptedTurn } from '../core/suite.ts';

/** Tokens of a reply that is still to come. */
export const LIKELY_REPLY = 80;

/** Tokens of what a simulated user says. */
const LIKELY_REQUEST = 30;

/** The user's turns with replies of a likely length; of a simulated user as many as there may be. */
export function likelyTalk(origin: LiveOrigin): SourcedMessage[] {
  const { target, history } = origin;
  const content = 'word '.repeat(LIKELY_REPLY).trim();
  return [
    ...systemMessages(target.system).map((message) => ({ message })),
    ...(history?.messages ?? []),
    ...likelyTurns(origin).flatMap(({ user, expected }): SourcedMessage[] => [
      { message: { role: 'user', content: user } },
      { message: { role: 'assistant', content }, ...(expected !== undefined && { expected }) },
    ]),
  ];
}

function likelyTurns(origin: LiveOrigin): readonly Omit<ScriptedTurn, 'source'>[] {
  if (origin.kind === 'turns') return origin.turns;
  const { opening, maxUserTurns } = origin.user;
  const user = 'word '.repeat(LIKELY_REQUEST).trim();
  const left = Math.max(0, maxUserTurns - opening.length);
  return [...opening, ...Array.from({ length: left }, () => ({ user }))].slice(0, maxUserTurns);
}
