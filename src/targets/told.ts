import { systemMessages } from '../core/conversation.ts';
import type { TargetSpec } from '../core/suite.ts';
import type { TargetSession } from './target.ts';

/** The session, told the target's `system` before the messages of every request. */
export function told(session: TargetSession, { system }: TargetSpec): TargetSession {
  const before = systemMessages(system);
  if (before.length === 0) return session;
  return {
    reply: (messages, signal) => session.reply([...before, ...messages], signal),
    close: () => session.close(),
  };
}
