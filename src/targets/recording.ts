import type { TargetExchangeRequest } from '../models/exchange.ts';
import type { Player } from '../models/player.ts';
import type { Recorder } from '../models/recording.ts';
import {
  replying,
  TargetError,
  type TargetReply,
  type TargetSession,
  targetErrorReasons,
} from './target.ts';

/** What tells one conversation with a target from another in a recording. */
export interface SessionIdentity {
  /** The target's name. */
  readonly target: string;
  readonly caseId: string;
  readonly context: Readonly<Record<string, unknown>>;
  /** From 1. */
  readonly repetition: number;
  /** As of `targetDigest`. */
  readonly digest: string;
  /** As of the target's type. */
  readonly keysDecide: boolean;
}

type Messages = Parameters<TargetSession['reply']>[0];

function requestOf(identity: SessionIdentity, messages: Messages): TargetExchangeRequest {
  return {
    target: identity.target,
    case: identity.caseId,
    context: { ...identity.context },
    messages: [...messages],
    repetition: identity.repetition,
    digest: identity.digest,
  };
}

/** The session, writing every exchange to the recorder. A cancelled reply leaves no line. */
export function recordingSession(
  session: TargetSession,
  identity: SessionIdentity,
  recorder: Recorder,
): TargetSession {
  return replying(session, async (messages, signal, hear) => {
    const asked = requestOf(identity, messages);
    try {
      const reply = await session.reply(messages, signal, hear);
      const { messages: said, notes, past } = reply;
      const usage = past ? past.usage : reply.usage;
      const kept = { messages: [...said], ...(notes && { notes }), ...(usage && { usage }) };
      await recorder.target(asked, { reply: kept });
      return reply;
    } catch (error) {
      if (error instanceof TargetError) {
        const { reason, message } = error;
        await recorder.target(asked, { error: { reason, message } });
      }
      throw error;
    }
  });
}

/**
 * A session that answers from a recording; no target is opened.
 *
 * @throws ModelError `not-recorded` from `reply`
 */
export function replayingSession(identity: SessionIdentity, player: Player): TargetSession {
  return {
    async reply(messages, signal): Promise<TargetReply> {
      signal.throwIfAborted();
      const result = player.target(requestOf(identity, messages), identity.keysDecide);
      if ('reply' in result) return result.reply;
      const { reason, message } = result.error;
      const known = targetErrorReasons.find((one) => one === reason);
      throw new TargetError(known ?? 'target-error', message);
    },
    async close() {},
  };
}
