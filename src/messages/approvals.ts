import * as z from 'zod';
import type { Item } from './dialect.ts';
import { toolArguments } from './fields.ts';
import type { PartKinds } from './parts.ts';

const id = z
  .string()
  .nullish()
  .meta({ description: 'Id of the request; ignored.', readOnly: true });

const request = z.strictObject({
  type: z
    .literal('mcp_approval_request')
    .meta({ description: 'Asks whether a tool may be called.' }),
  id,
  tool_call_id: id,
  name: z.string().optional().meta({ description: 'The tool.', refersTo: 'tool' }),
  arguments: toolArguments,
  server_label: z.string().optional().meta({ description: 'The MCP server that offers the tool.' }),
});

const answer = z.boolean().optional().meta({ description: 'Whether the tool may be called.' });

const response = z.strictObject({
  type: z
    .literal('mcp_approval_response')
    .meta({ description: 'Answers whether the tool may be called.' }),
  id,
  tool_call_id: id,
  approval_request_id: id,
  approve: answer,
  approved: answer,
  mcp_approval_response: answer,
  reason: z.string().nullish().meta({ description: 'Why.' }),
});

/** Approvals of MCP calls: they ask and answer what the user never sees, and become notes. */
export const approvals: PartKinds = {
  mcp_approval_request: {
    schema: request,
    of: ['assistant'],
    read: ({ name }) => ({
      notes: [
        `A request to approve a call of ${name === undefined ? 'an MCP tool' : `"${name}"`}.`,
      ],
    }),
  },
  mcp_approval_response: {
    schema: response,
    of: ['tool', 'assistant'],
    read: (part) => ({ notes: [answerOf(part)] }),
  },
};

function answerOf({ approve, approved, mcp_approval_response: answered, reason }: Item): string {
  const allowed = approve ?? approved ?? answered;
  const why = typeof reason === 'string' && reason !== '' ? `: ${reason}` : '.';
  if (allowed === undefined) return 'An answer to a request for approval.';
  return `A call of an MCP tool was ${allowed === true ? 'approved' : 'refused'}${why}`;
}
