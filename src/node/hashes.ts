import { createHash } from 'node:crypto';
import type { Conversation, TurnItem } from '../core/conversation.ts';
import type { MessageHistory, SuiteCase } from '../core/suite.ts';

/** JSON with object keys sorted at every depth, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** Copies a value with its keys sorted. Using a `JSON.stringify` replacer function takes several times as long. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  if ('toJSON' in value && typeof value.toJSON === 'function') return sorted(value.toJSON());
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value).sort()) copy[key] = sorted(Reflect.get(value, key));
  return copy;
}

/** SHA-256 hash of bytes, or of a string in UTF-8, in hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}

/**
 * SHA-256 hash of a conversation, in hexadecimal. Excludes files, latencies, and the cache, as well as handoffs, which
 * follow from the rest and don't exist in earlier versions.
 */
export function conversationHash(conversation: Conversation): string {
  const entries = withoutCircumstances(conversation).entries.map((entry) =>
    entry.kind === 'system'
      ? entry
      : { ...entry, items: entry.items.filter(({ kind }) => kind !== 'handoff') },
  );
  return digestOf(entries);
}

/** A conversation without its files, its latencies, its trace, and whether it came from the cache. */
export function withoutCircumstances({ entries, notes }: Conversation): Conversation {
  const plain = entries.map((entry) => {
    if (entry.kind === 'system') return entry;
    const { source: _s, latency: _l, startup: _st, fromCache: _c, ...timed } = entry;
    const { firstToken: _f, traceFault: _t, items, ...rest } = timed;
    return { ...rest, items: items.map(withoutLatency) };
  });
  return { entries: plain, notes };
}

function withoutLatency(item: TurnItem): TurnItem {
  if (item.kind !== 'tool-call') return item;
  const { latency: _, ...rest } = item;
  return rest;
}

/**
 * SHA-256 hash of a conversation's inputs: messages, simulated user, and target.
 *
 * @param target digest of its target, if any
 */
export function inputHash(suiteCase: SuiteCase, target: string | undefined): string {
  const { context, tools } = suiteCase;
  return digestOf({ input: inputOf(suiteCase), context, tools, target });
}

/** The hash of a conversation that couldn't be read. */
export const BROKEN_HASH = '';

/** A hash that is short enough to keep thousands in memory. */
export function shortHash(hash: string): string {
  return hash.slice(0, 12);
}

function inputOf({ origin }: SuiteCase): unknown {
  if (origin.kind === 'transcript') return messagesIn(origin);
  const history = origin.history && messagesIn(origin.history);
  if (origin.kind === 'turns') {
    const turns = origin.turns.map(({ user, expected, images }) => [
      user,
      expected,
      ...(images ? [images] : []),
    ]);
    return history ? { history, turns } : turns;
  }
  const { opening, model, source: _, ...user } = origin.user;
  return {
    history,
    simulate: { ...user, opening: opening.map((turn) => turn.user) },
    model: model && String((model.written ?? model.params).model),
  };
}

function messagesIn({ messages }: MessageHistory): unknown {
  return messages.map(({ message, expected }) => [message, expected]);
}
