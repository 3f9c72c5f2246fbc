import * as z from 'zod';
import { REPORTS } from '../core/conversation.ts';

export const reportsSchema = z.union([z.literal('all'), z.array(z.enum(REPORTS))]);

/** Keys that every target may have. */
export const commonKeys = {
  system: z.string().min(1).optional().meta({
    description:
      'The system prompt. It comes first in the messages to the target, in the recorded conversation, and in what judges read.',
  }),
  reports: reportsSchema.optional().meta({
    description:
      'What its replies show whenever there is any: `all`, or a list of `tool_calls`, `context` (what was retrieved), `usage`, and `agents`. An assertion that needs anything else is an error, and never passes. Default: everything for `chat`, what its pointers name for `http`, else what the replies of the conversation contain.',
  }),
  timeout: z.int().min(1).optional().meta({
    description:
      'Time limit for one reply in milliseconds; waiting for a rate limit does not count. Default: the setting `turnlight.timeout`, or `--timeout`.',
  }),
  cache: z.boolean().optional().meta({
    description:
      'Whether replies of earlier runs to the same messages are used again. Default: true for `chat`, whose model is asked only for what is new; else false, since what a program imports or a service does cannot be seen.',
  }),
};
