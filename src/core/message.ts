import * as z from 'zod';

export const toolCallSchema = z.object({
  id: z.string().meta({ description: 'Id of the call.' }),
  name: z.string().meta({ description: 'Name of the tool.' }),
  arguments: z.unknown().meta({ description: 'Parsed JSON, or the text if it does not parse.' }),
});

/** A chat message in canonical form. Dialects produce it; all other code sees only this. */
export const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string() }),
  z.strictObject({ role: z.literal('developer'), content: z.string() }),
  z.strictObject({ role: z.literal('user'), content: z.string() }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string(),
    toolCalls: z.array(toolCallSchema).optional(),
    retrievalContext: z.array(z.string()).optional(),
    agent: z.string().optional(),
  }),
  z.strictObject({ role: z.literal('tool'), callId: z.string(), content: z.string() }),
]);

export type ToolCall = z.infer<typeof toolCallSchema>;
export type Message = z.infer<typeof messageSchema>;

/** A tool that the assistant may call, in OpenAI's function shape without its wrapper. */
export const toolSchema = z.strictObject({
  name: z
    .string()
    .min(1)
    .meta({ description: 'The name by which the assistant calls it.', declares: 'tool' }),
  description: z.string().optional().meta({ description: 'What the tool does.' }),
  parameters: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'JSON Schema of the arguments.' }),
  server: z.string().min(1).optional().meta({ description: 'The MCP server that offers it.' }),
  kind: z
    .enum(['tool', 'resource', 'prompt'])
    .optional()
    .meta({ description: 'What the MCP server offers it as.', default: 'tool' }),
});

export type Tool = z.infer<typeof toolSchema>;

/** Tools as files contain them: plain, or in OpenAI's wrapper. */
export const toolsSchema = z.array(
  z.union([
    z.strictObject({
      type: z.literal('function').optional().meta({ description: 'Always `function`.' }),
      function: toolSchema.meta({ description: 'The tool.' }),
    }),
    toolSchema,
  ]),
);

export function unwrapTools(written: z.infer<typeof toolsSchema>): Tool[] {
  return written.map((tool) => ('function' in tool ? tool.function : tool));
}
