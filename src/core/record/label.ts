import * as z from 'zod';
import { conversationSchema } from '../conversation.ts';
import { groupBy } from '../data/data.ts';
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

/** A label where it stands. */
export interface PlacedLabel extends Label {
  /** The name of their file. */
  readonly person: string;
  /** Absolute. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
}

/** Two labels of a person with the same one are about the same thing: the later one counts. */
export function sameSubject({
  assertion,
  turn,
  conversation_hash: hash,
}: Pick<Label, 'assertion' | 'turn' | 'conversation_hash'>): string {
  return JSON.stringify([hash, assertion, turn]);
}

/** What most people say; undefined where as many say one thing as another. */
export function majority(labels: readonly Pick<Label, 'status'>[]): Label['status'] | undefined {
  const [first, second] = [...groupBy(labels, ({ status }) => status)].sort(
    ([, a], [, b]) => b.length - a.length,
  );
  return first && first[1].length > (second?.[1].length ?? 0) ? first[0] : undefined;
}

/**
 * What a label says of what is there now: `earlier-text` where the conversation has changed since, in whatever
 * turn, so that it is of another one; `other-question` where only what is asked has changed, so that it counts and
 * is marked.
 */
export type LabelStanding = 'current' | 'other-question' | 'earlier-text';

/** @param now the conversation and the question of a verdict */
export function standingOf(
  label: Pick<Label, 'conversation_hash' | 'question_hash'>,
  now: { readonly conversation: string; readonly question?: string | undefined },
): LabelStanding {
  if (label.conversation_hash !== now.conversation) return 'earlier-text';
  const isOther =
    label.question_hash !== undefined &&
    now.question !== undefined &&
    label.question_hash !== now.question;
  return isOther ? 'other-question' : 'current';
}

/** For people, after a label; nothing where it is current. */
export const STANDING_WORDS: Readonly<Record<LabelStanding, string>> = {
  current: '',
  'other-question': 'the question has changed since',
  'earlier-text': 'label is of an earlier text',
};
