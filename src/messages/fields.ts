import * as z from 'zod';

/** Keys that several dialects write alike. */

export const toolName = z
  .string()
  .min(1)
  .meta({ description: 'Name of the tool.', refersTo: 'tool' });

export const toolArguments = z
  .union([z.string(), z.record(z.string(), z.unknown())])
  .optional()
  .meta({ description: 'JSON: text, or a mapping.' });

export const callId = z
  .string()
  .min(1)
  .meta({ description: 'Id of the call, which its result refers to.' });

export const answeredCall = z.string().min(1).meta({ description: 'The call this answers.' });

export const retrievalContext = z
  .array(z.string())
  .nullish()
  .meta({ description: 'What was retrieved for this reply, most relevant first.' });

export const agent = z
  .string()
  .min(1)
  .nullish()
  .meta({ description: 'Name of the agent that speaks, where several are the assistant.' });

/** What other tools write into a message and nothing here looks at; it is never offered. */
export const unread = z
  .unknown()
  .optional()
  .meta({ description: 'Ignored; written by the tool that made the message.', readOnly: true });

export const noted = unread.meta({ description: 'Noted, not judged.', readOnly: true });

export const notedList = z
  .array(z.unknown())
  .nullish()
  .meta({ description: 'Noted, not judged.', readOnly: true });

export const status = z.string().nullish().meta({
  description: '`completed`, `incomplete` or `in_progress`; noted if not completed.',
  readOnly: true,
});
