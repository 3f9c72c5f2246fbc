import * as z from 'zod';
import { conversationSchema } from '../core/conversation.ts';
import type { FromPage, PageProtocol, ToPage } from './viewPage.ts';

const count = z.int().min(0);

/** Contains no verdicts, so that people label independently. */
const labellingSchema = z.discriminatedUnion('phase', [
  z.strictObject({ phase: z.literal('reading') }),
  z.strictObject({
    phase: z.literal('asking'),
    title: z.string(),
    conversation: conversationSchema,
    /** 1-based position of this conversation, counting the ones that were labeled before. */
    at: z.int().min(1),
    total: count,
    question: z.strictObject({
      /** 1-based position of this question. */
      at: z.int().min(1),
      count: z.int().min(1),
      name: z.string(),
      stated: z.array(z.string()),
      choices: z.array(z.string()).min(1),
      /** Turns that can be labeled individually. */
      turns: z.array(z.int().min(1)),
      /** The person's labels of turns, and their earlier label of the whole conversation. */
      said: z.array(z.strictObject({ turn: z.int().min(1).optional(), words: z.string() })),
    }),
    undo: z.boolean(),
  }),
  z.strictObject({
    phase: z.literal('done'),
    labelled: count,
    total: count,
    /** Whether some conversations belong to cases that are no longer in the file. */
    gone: z.boolean(),
    /** The agreement of judges with people, one line per judge and assertion. */
    agreement: z.array(z.string()),
    undo: z.boolean(),
  }),
]);

/** Restores the page after a reload. `file`: the eval file's URI. */
export const labellingStateSchema = z.strictObject({ file: z.string() });

/** Messages between the extension and the labeling mode. */
export const labellingProtocol = {
  toPage: z.strictObject({
    kind: z.literal('snapshot'),
    state: labellingStateSchema,
    /** Invalid lines of label files. */
    problems: z.array(z.string()),
    labelling: labellingSchema,
  }),
  fromPage: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('ready') }),
    /** Labels a turn or, without `turn`, the whole conversation. `choice` is an index into `choices`. */
    z.strictObject({
      kind: z.literal('answer'),
      choice: count,
      turn: z.int().min(1).optional(),
      comment: z.string().max(2000).optional(),
    }),
    z.strictObject({ kind: z.literal('skip') }),
    z.strictObject({ kind: z.literal('undo') }),
    z.strictObject({ kind: z.literal('agreement') }),
  ]),
  state: labellingStateSchema,
} satisfies PageProtocol;

export type LabellingSnapshot = z.infer<typeof labellingSchema>;
export type LabellingQuestion = Extract<LabellingSnapshot, { phase: 'asking' }>;
export type ToLabelling = ToPage<typeof labellingProtocol>;
export type FromLabelling = FromPage<typeof labellingProtocol>;
