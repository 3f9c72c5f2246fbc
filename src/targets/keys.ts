import * as z from 'zod';
import { REPORTS } from '../core/conversation.ts';
import type { TargetSpec } from '../core/suite.ts';

const DEFAULT_TRACE_WAIT = 2_000;

export const reportsSchema = z.union([z.literal('all'), z.array(z.enum(REPORTS))]);

export const commonKeys = {
  system: z
    .union([
      z.string().min(1),
      z.strictObject({
        file: z.string().min(1).meta({
          description:
            'The file with the text, relative to this one. Variables in it are filled in, as in `system` itself.',
          file: 'text',
        }),
      }),
    ])
    .optional()
    .meta({
      description:
        "The system prompt, or the `file` that contains it. It comes first in the messages to the target, in the recorded conversation, and in the judges' requests.",
    }),
  reports: reportsSchema.optional().meta({
    description:
      'What the replies always report: `all`, or a list of `tool_calls`, `context` (retrieved texts), `usage`, and `agents`. An assertion that needs anything else is an error, and never passes. Default: everything for `chat`; for `http`, everything that has a pointer; otherwise, whatever the replies of the conversation contain.',
  }),
  timeout: z.int().min(1).optional().meta({
    description:
      'Time limit for one reply in milliseconds; waiting for a rate limit does not count. Default: the setting `turnlight.timeout`, or `--timeout`.',
  }),
  cache: z.boolean().optional().meta({
    description:
      "Whether to reuse the replies that the same messages got in earlier runs. Default: true for `chat`; otherwise false, because Turnlight can't see changes in a program's imports or in a service.",
  }),
};

/** Keys of targets that can export spans. */
export const traceKeys = {
  traces: z.boolean().optional().meta({
    description:
      'Whether the target exports OpenTelemetry spans. Turnlight receives them during the run, and adds the tool calls, retrieved texts, agents, usage, and latencies in them to the turn that caused them.',
    default: false,
  }),
  trace_wait: z.int().min(1).optional().meta({
    description:
      'Maximum time to wait for the spans of a turn after its reply, in milliseconds. It does not count toward the latency. If spans are missing then, assertions about tools are errors.',
    default: DEFAULT_TRACE_WAIT,
  }),
};

/** How long to wait for spans, in milliseconds; undefined if the target exports none. */
export function traceWaitOf({ traces, trace_wait }: TargetSpec['params']): number | undefined {
  if (traces !== true) return undefined;
  return typeof trace_wait === 'number' ? trace_wait : DEFAULT_TRACE_WAIT;
}
