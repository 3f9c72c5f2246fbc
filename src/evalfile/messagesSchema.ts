import * as z from 'zod';
import { dialects } from '../messages/registry.ts';

/** The plainest dialects first, as they are offered; the registry has those first that are told by more. */
const schemas = [...dialects].reverse().map(({ schema }) => schema);

/** A message in any dialect. What depends on the messages before it is not in here. */
export const messageSchema: z.ZodType = z
  .union(schemas)
  .meta({ description: 'A message: `user: Hi`, or in any of the dialects that are read.' });

export const messagesFileSchema = z
  .array(messageSchema)
  .min(1)
  .meta({ description: 'A conversation: its messages, in order.' });
