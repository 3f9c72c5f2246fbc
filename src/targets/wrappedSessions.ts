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

/** A session that measures when a reply's text starts to arrive, if the reply is streamed. */
export function timedSession(session: TargetSession): TargetSession {
  return withReply(session, async (messages, signal, onText) => {
    if (!onText) return session.reply(messages, signal);
    const began = performance.now();
    const waited = session.waited?.() ?? 0;
    let heard: number | undefined;
    const reply = await session.reply(messages, signal, (soFar) => {
      if (soFar !== '') heard ??= performance.now();
      onText(soFar);
    });
    if (heard === undefined || reply.past) return reply;
    const waiting = (session.waited?.() ?? 0) - waited;
    return { ...reply, firstToken: Math.max(0, heard - began - waiting) };
  });
}

/** Identifies a session's target. `digest` is from `targetDigest`. */
export interface SessionIdentity extends Readonly<Omit<TargetExchangeRequest, 'messages'>> {
  /** See `TargetType`. */
  readonly keysDecide: boolean;
}

type Messages = Parameters<TargetSession['reply']>[0];

function requestOf(
  { keysDecide: _, ...identity }: SessionIdentity,
  messages: Messages,
): TargetExchangeRequest {
  return { ...identity, messages: [...messages] };
}

/** A session that records its exchanges, unless they are canceled. */
export function recordingSession(
  session: TargetSession,
  identity: SessionIdentity,
  recorder: Recorder,
): TargetSession {
  return withReply(session, async (messages, signal, onText) => {
    const exchange = { kind: 'target', request: requestOf(identity, messages) } as const;
    const work = session.reply(messages, signal, onText);
    const reply = await recordErrors(work, TargetError, recorder, exchange);
    const { messages: added, sent, tools, notes, past } = reply;
    const { firstToken, reports, traceFault } = reply;
    const usage = past ? past.usage : reply.usage;
    const kept = {
      messages: [...added],
      ...(sent && { sent: [...sent] }),
      ...(tools && { tools: [...tools] }),
      ...(notes && { notes }),
      ...(usage && { usage }),
      ...(firstToken !== undefined && { firstToken }),
      ...(reports && { reports: [...reports] }),
      ...(traceFault !== undefined && { traceFault }),
    };
    await recorder.write({ ...exchange, reply: kept });
    return reply;
  });
}

/** A session that answers from a recording, without opening a target. @throws ModelError `not-recorded` from `reply` */
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
 * A session that opens its target when the first uncached reply is needed.
 *
 * @param identity everything that determines its replies, except the messages
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
      // Once its secrets are removed, a check for them would pass; also, the next trace may be complete.
      if (reply.unscrubbed || reply.traceFault !== undefined) return reply;
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
