import * as z from 'zod';
import { conversationSchema } from '../core/conversation.ts';
import { loadedImage, loadImage } from './imageMessages.ts';
import type { FromPage, PageProtocol, ToPage } from './viewPage.ts';

const turn = z.int().min(1);

/** Maximum number of characters in a message. */
export const MAX_MESSAGE = 100_000;

/** A conversation between a person and a target. */
const talkSchema = z.strictObject({
  /** The target's name. */
  target: z.string(),
  /** Where the conversation starts, and where it will be saved. */
  about: z.string(),
  conversation: conversationSchema,
  isReplying: z.boolean(),
  /** Number of the turn that is still streaming. */
  speaking: turn.optional(),
  /** What the person says about replies. */
  checks: z.array(
    z.strictObject({
      turn,
      mark: z.enum(['right', 'wrong']).optional(),
      /** Assertions, one line each. */
      assertions: z.array(z.string()),
    }),
  ),
  /** The turns of the user from which the conversation went on in several ways. */
  branches: z.array(
    z.strictObject({
      turn,
      /** 1-based position of the branch that is shown; 0 if the conversation ends before the turn. */
      at: z.int().min(0),
      count: z.int().min(1),
    }),
  ),
  /** Whether it ended with the window that it was in. */
  ended: z.literal(true).optional(),
  note: z.string().optional(),
  error: z.string().optional(),
  /** A message without a reply, to send again. Each one has another id. */
  unsent: z.strictObject({ id: z.int(), text: z.string() }).optional(),
});

/** Messages between the extension and the page to talk to a target. */
export const talkProtocol = {
  toPage: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('snapshot'), talk: talkSchema }),
    loadedImage,
  ]),
  fromPage: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('ready') }),
    /** Sends a message. `turn`: the user's turn to replace, with all later ones. */
    z.strictObject({
      kind: z.literal('say'),
      text: z.string().min(1).max(MAX_MESSAGE),
      turn: turn.optional(),
    }),
    /** Stops waiting for the reply. */
    z.strictObject({ kind: z.literal('cancel') }),
    z.strictObject({ kind: z.literal('mark'), turn, mark: z.enum(['right', 'wrong']) }),
    z.strictObject({ kind: z.literal('add-assertion'), turn }),
    z.strictObject({ kind: z.literal('remove-assertion'), turn, index: z.int().min(0) }),
    z.strictObject({ kind: z.literal('show-branch'), turn, at: z.int().min(1) }),
    z.strictObject({ kind: z.literal('restart') }),
    z.strictObject({ kind: z.literal('save') }),
    loadImage,
  ]),
  /** The unsent text, and what a reload shows of the conversation, which it ends. */
  state: z.strictObject({ draft: z.string(), talk: talkSchema.optional() }),
} satisfies PageProtocol;

export type TalkSnapshot = z.infer<typeof talkSchema>;
export type ToTalk = ToPage<typeof talkProtocol>;
export type FromTalk = FromPage<typeof talkProtocol>;
