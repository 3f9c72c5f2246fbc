import * as z from 'zod';
import { REPORTS } from '../core/conversation.ts';

export const reportsSchema = z.union([z.literal('all'), z.array(z.enum(REPORTS))]);

export const commonKeys = {
  system: z.string().min(1).optional().meta({
    description:
      "The system prompt. It comes first in the messages to the target, in the recorded conversation, and in the judges' requests.",
  }),
  reports: reportsSchema.optional().meta({
    description:
      'What the replies always report: `all`, or a list of `tool_calls`, `context` (retrieved texts), `usage`, and `agents`. An assertion that needs anything else is an error, and never passes. Default: everything for `chat`, the pointers that are set for `http`, otherwise whatever the replies of the conversation contain.',
  }),
  timeout: z.int().min(1).optional().meta({
    description:
      'Time limit for one reply in milliseconds; waiting for a rate limit does not count. Default: the setting `turnlight.timeout`, or `--timeout`.',
  }),
  cache: z.boolean().optional().meta({
    description:
      "Whether to reuse replies of earlier runs to the same messages. Default: true for `chat`; otherwise false, because Turnlight can't see changes in a program's imports or in a service.",
  }),
};
