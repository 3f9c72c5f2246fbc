import type { Conversation } from '../conversation.ts';
import { digestOf } from '../data/digest.ts';

/** Names a conversation by what was said in it, wherever it stands and however long it took. */
export function conversationHash(conversation: Conversation): string {
  return digestOf(said(conversation).entries);
}

/** A conversation without where it stands, how long it took and whether it came from the cache. */
export function said({ entries, notes }: Conversation): Conversation {
  return { entries: entries.map(saidIn), notes };
}

function saidIn(entry: Conversation['entries'][number]): Conversation['entries'][number] {
  if (entry.kind === 'system') return entry;
  const {
    source: _source,
    latency: _latency,
    startup: _startup,
    fromCache: _cached,
    ...said
  } = entry;
  return said;
}
