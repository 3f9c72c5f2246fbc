import * as z from 'zod';
import { conversationSchema } from '../core/conversation.ts';
import { loadedImage, loadImage } from './imageMessages.ts';
import type { FromPage, PageProtocol, ToPage } from './viewPage.ts';

const count = z.int().min(0);

/** The state of a labeling session. Contains no verdicts, so that people label independently of the judge. */
const labelingSchema = z.discriminatedUnion('phase', [
  z.strictObject({ phase: z.literal('reading') }),
  z.strictObject({
    phase: z.literal('asking'),
    title: z.string(),
    conversation: conversationSchema,
    /** 1-based position of this conversation; counts conversations that were labeled before. */
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
      /** The person's labels for turns, and their earlier label for the whole conversation. */
      said: z.array(z.strictObject({ turn: z.int().min(1).optional(), words: z.string() })),
    }),
    undo: z.boolean(),
  }),
  z.strictObject({
    phase: z.literal('done'),
    labeled: count,
    total: count,
    /** Whether some conversations belong to cases that are no longer in the file. */
    gone: z.boolean(),
    /** How well judges agree with people, one line per judge and assertion. */
    agreement: z.array(z.string()),
    undo: z.boolean(),
  }),
]);

/** Restores the page after a reload. `file`: the eval file's URI. */
export const labelingStateSchema = z.strictObject({ file: z.string() });

/** Messages between the extension and the labeling page. */
export const labelingProtocol = {
  toPage: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('snapshot'),
      state: labelingStateSchema,
      /** Invalid lines of label files. */
      problems: z.array(z.string()),
      labeling: labelingSchema,
    }),
    loadedImage,
  ]),
  fromPage: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('ready') }),
    /** Labels a turn, or the whole conversation if `turn` is absent. `choice` is an index into `choices`. */
    z.strictObject({
      kind: z.literal('answer'),
      choice: count,
      turn: z.int().min(1).optional(),
      comment: z.string().max(2000).optional(),
    }),
    z.strictObject({ kind: z.literal('skip') }),
    z.strictObject({ kind: z.literal('undo') }),
    z.strictObject({ kind: z.literal('agreement') }),
    loadImage,
  ]),
  state: labelingStateSchema,
} satisfies PageProtocol;

export type LabelingSnapshot = z.infer<typeof labelingSchema>;
export type LabelingQuestion = Extract<LabelingSnapshot, { phase: 'asking' }>;
export type ToLabeling = ToPage<typeof labelingProtocol>;
export type FromLabeling = FromPage<typeof labelingProtocol>;
