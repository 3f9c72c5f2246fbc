import { systemMessages } from '../core/conversation.ts';
import type { TargetSpec } from '../core/suite.ts';
import { replying, type TargetSession } from './target.ts';

/** The session with the target's `system` before the messages of every request. */
export function prependSystemPrompt(session: TargetSession, { system }: TargetSpec): TargetSession {
  const before = systemMessages(system);
  if (before.length === 0) return session;
  return replying(session, (messages, signal, hear) =>
    session.reply([...before, ...messages], signal, hear),
  );
}
