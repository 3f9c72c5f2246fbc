import * as z from 'zod';
import { conversationSchema } from '../core/conversation.ts';
import type { PageProtocol } from './viewPage.ts';

/** What the extension and the labelling mode say to each other: no verdict among it. Parsed on both ends. */

const count = z.int().min(0);

export const labellingSchema = z.discriminatedUnion('phase', [
  z.strictObject({ phase: z.literal('reading') }),
  z.strictObject({
    phase: z.literal('asking'),
    /** Of the case. */
    title: z.string(),
    conversation: conversationSchema,
    /** Which of the conversations it is, from 1: those that were labelled before come first. */
    at: z.int().min(1),
    total: count,
    question: z.strictObject({
      /** From 1, of so many about this conversation. */
      at: z.int().min(1),
      count: z.int().min(1),
      name: z.string(),
      /** What the assertion states, in lines. */
      stated: z.array(z.string()),
      choices: z.array(z.string()).min(1),
      /** Turns that can be labelled by themselves. */
      turns: z.array(z.int().min(1)),
      /** What the person said of turns, and of the whole where they did before. */
      said: z.array(z.strictObject({ turn: z.int().min(1).optional(), words: z.string() })),
    }),
    undo: z.boolean(),
  }),
  z.strictObject({
    phase: z.literal('done'),
    /** Conversations that are labelled, and all. */
    labelled: count,
    total: count,
    /** Whether conversations of cases that the file no longer has were left out. */
    gone: z.boolean(),
    /** What agreement came to, a line for each judge and assertion. */
    agreement: z.array(z.string()),
    undo: z.boolean(),
  }),
]);

/** What brings the labelling mode back after a reload. */
export const labellingStateSchema = z.strictObject({
  /** The eval file's URI. */
  file: z.string(),
});

export const toLabellingSchema = z.strictObject({
  kind: z.literal('snapshot'),
  state: labellingStateSchema,
  /** Lines of label files that could not be read. */
  problems: z.array(z.string()),
  labelling: labellingSchema,
});

export const fromLabellingSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  /** One of the choices; of a turn, else of the whole conversation. */
  z.strictObject({
    kind: z.literal('answer'),
    choice: count,
    turn: z.int().min(1).optional(),
    comment: z.string().max(2000).optional(),
  }),
  z.strictObject({ kind: z.literal('skip') }),
  z.strictObject({ kind: z.literal('undo') }),
  z.strictObject({ kind: z.literal('agreement') }),
]);

export const labellingProtocol = {
  toPage: toLabellingSchema,
  fromPage: fromLabellingSchema,
  state: labellingStateSchema,
} satisfies PageProtocol;

export type ShownLabelling = z.infer<typeof labellingSchema>;
export type AskedLabelling = Extract<ShownLabelling, { phase: 'asking' }>;
export type ToLabelling = z.infer<typeof toLabellingSchema>;
export type FromLabelling = z.infer<typeof fromLabellingSchema>;
