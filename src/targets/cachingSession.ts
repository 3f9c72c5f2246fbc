import * as z from 'zod';
import { fromCache, NO_USAGE } from '../core/verdict.ts';
import type { Lookup } from '../models/cache/lookup.ts';
import { targetReplySchema } from '../models/exchange.ts';
import type { TargetReply, TargetSession } from './target.ts';

const entrySchema = z.strictObject({ reply: targetReplySchema, latency: z.number().min(0) });

/**
 * A session with a target that is opened once a reply is wanted which earlier runs did not ask for.
 *
 * @param identity what decides its replies beside the messages
 */
export function cachingSession(
  open: () => Promise<TargetSession>,
  identity: object,
  lookup: Lookup,
): TargetSession {
  let opened: TargetSession | undefined;
  const saved: string[] = [];
  return {
    async reply(messages, signal, hear) {
      signal.throwIfAborted();
      const [key = ''] = lookup.keysOf({ kind: 'target', ...identity, messages });
      const entry = await lookup.load(key, entrySchema);
      if (entry) return recalled(entry);
      opened ??= await open();
      const waited = opened.waited?.() ?? 0;
      const began = performance.now();
      const reply = await opened.reply(messages, signal, hear);
      const waiting = (opened.waited?.() ?? 0) - waited;
      lookup.save(key, { reply, latency: performance.now() - began - waiting });
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
        // What was taken for replies may be none.
        for (const key of saved) lookup.forget(key);
        throw error;
      }
    },
  };
}

function recalled({ reply, latency }: z.infer<typeof entrySchema>): TargetReply {
  const { messages, notes, usage } = reply;
  return {
    messages,
    ...(notes && { notes }),
    usage: fromCache(usage),
    past: { usage, latency },
  };
}
