import * as z from 'zod';
import { systemMessages } from '../core/conversation.ts';
import type { TargetSpec } from '../core/suite.ts';
import { NO_USAGE } from '../core/verdict.ts';
import { type AnswerLookup, cachedReplyOf } from '../models/cache.ts';
import { type TargetExchangeRequest, targetReplySchema } from '../models/exchange.ts';
import { type Recorder, recordErrors } from '../models/recording.ts';
import type { ReplaySource } from '../models/replaySource.ts';
import {
  TargetError,
  type TargetReply,
  type TargetSession,
  targetErrorReasons,
  withReply,
} from './target.ts';

export function prependSystemPrompt(session: TargetSession, { system }: TargetSpec): TargetSession {
  const before = systemMessages(system);
  if (before.length === 0) return session;
  return withReply(session, (messages, signal, onText) =>
    session.reply([...before, ...messages], signal, onText),
  );
}

/** `digest` is from `targetDigest`. */
export interface SessionIdentity extends Readonly<Omit<TargetExchangeRequest, 'messages'>> {
  /** As in `TargetType`. */
  readonly keysDecide: boolean;
}

type Messages = Parameters<TargetSession['reply']>[0];

function requestOf(
  { keysDecide: _, ...identity }: SessionIdentity,
  messages: Messages,
): TargetExchangeRequest {
  return { ...identity, messages: [...messages] };
}

/** A session that records its exchanges, unless they are cancelled. */
export function recordingSession(
  session: TargetSession,
  identity: SessionIdentity,
  recorder: Recorder,
): TargetSession {
  return withReply(session, async (messages, signal, onText) => {
    const exchange = { kind: 'target', request: requestOf(identity, messages) } as const;
    const work = session.reply(messages, signal, onText);
    const reply = await recordErrors(work, TargetError, recorder, exchange);
    const { messages: added, notes, past } = reply;
    const usage = past ? past.usage : reply.usage;
    const kept = { messages: [...added], ...(notes && { notes }), ...(usage && { usage }) };
    await recorder.write({ ...exchange, reply: kept });
    return reply;
  });
}

/** A session that answers from a recording; no target is opened. @throws ModelError `not-recorded` from `reply` */
export function replaySession(identity: SessionIdentity, source: ReplaySource): TargetSession {
  return {
    async reply(messages, signal): Promise<TargetReply> {
      signal.throwIfAborted();
      const result = source.target(requestOf(identity, messages), identity.keysDecide);
      if ('reply' in result) return result.reply;
      const { reason, message } = result.error;
      const known = targetErrorReasons.find((one) => one === reason);
      throw new TargetError(known ?? 'target-error', message);
    },
    async close() {},
  };
}

const entrySchema = z.strictObject({ reply: targetReplySchema, latency: z.number().min(0) });

/**
 * A session that opens its target for the first reply that isn't cached.
 *
 * @param identity what decides its replies besides the messages
 */
export function cachingSession(
  open: () => Promise<TargetSession>,
  identity: object,
  lookup: AnswerLookup,
): TargetSession {
  let opened: TargetSession | undefined;
  const saved: string[] = [];
  return {
    async reply(messages, signal, onText) {
      signal.throwIfAborted();
      const [key = ''] = lookup.keysOf({ kind: 'target', ...identity, messages });
      const entry = await lookup.load(key, entrySchema);
      if (entry) return cachedReplyOf(entry.reply, entry.latency);
      opened ??= await open();
      const waited = opened.waited?.() ?? 0;
      const began = performance.now();
      const reply = await opened.reply(messages, signal, onText);
      const waiting = (opened.waited?.() ?? 0) - waited;
      // With its secrets removed, a check for them would pass.
      if (reply.unscrubbed) return reply;
      lookup.store.save(key, { reply, latency: performance.now() - began - waiting });
      saved.push(key);
      return reply;
    },
    spent: () => opened?.spent?.() ?? NO_USAGE,
    waited: () => opened?.waited?.() ?? 0,
    startup: () => opened?.startup?.() ?? 0,
    async close(signal) {
      try {
        await opened?.close(signal);
      } catch (error) {
        // Its replies may have been invalid.
        for (const key of saved) lookup.store.delete(key);
        throw error;
      }
    },
  };
}
