import * as z from 'zod';
import { type Conversation, conversationSchema } from '../conversation.ts';
import { digestOf } from '../data/digest.ts';
import { statusSchema } from '../verdict.ts';
import { factsSchema } from './runRecord.ts';

/** What a person says of a verdict: a line of `NAME.labels/PERSON.jsonl`. */
export const labelSchema = z.object({
  case: z.string(),
  variant: z.string().optional(),
  /** The key of the assertion in its case. */
  assertion: z.string(),
  /** Absent if the file had no such assertion when the label was given. */
  question_hash: z.string().optional(),
  /** Absent if it is about the whole conversation. */
  turn: z.int().min(1).optional(),
  conversation_hash: z.string(),
  status: statusSchema.exclude(['error']),
  label: z.string().optional(),
  score: z.number().min(0).max(1).optional(),
  comment: z.string().optional(),
  /** ISO 8601, UTC. */
  at: z.string(),
});

/** `NAME.labels/conversations/HASH.json`: what the labels speak of. */
export const labelledConversationSchema = z.object({
  conversation: conversationSchema,
  facts: factsSchema,
});

export type Label = z.infer<typeof labelSchema>;

/** Names a conversation by what was said in it, wherever it stands and however long it took. */
export function conversationHash({ entries }: Conversation): string {
  return digestOf(entries.map(saidIn));
}

function saidIn(entry: Conversation['entries'][number]): unknown {
  if (entry.kind === 'system') return entry;
  const { source: _source, latency: _latency, ...said } = entry;
  return said;
}
