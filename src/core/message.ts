import * as z from 'zod';

/**
 * One chat message in canonical form, whatever dialect it came in. Dialects make it; everything
 * after them sees only this. A tool call's `arguments` are parsed JSON where they parse, else the
 * text as it came.
 */
export const toolCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.unknown(),
});

export const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string() }),
  z.strictObject({ role: z.literal('developer'), content: z.string() }),
  z.strictObject({ role: z.literal('user'), content: z.string() }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string(),
    toolCalls: z.array(toolCallSchema).optional(),
    retrievalContext: z.array(z.string()).optional(),
  }),
  z.strictObject({ role: z.literal('tool'), callId: z.string(), content: z.string() }),
]);

export type ToolCall = z.infer<typeof toolCallSchema>;
export type Message = z.infer<typeof messageSchema>;

/** A tool that the assistant may call, in OpenAI's function shape without its wrapper. */
export const toolSchema = z.strictObject({
  name: z.string().min(1).meta({ description: 'The name the assistant calls it by.' }),
  description: z.string().optional().meta({ description: 'What the tool does.' }),
  parameters: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'JSON Schema of the arguments.' }),
  server: z.string().min(1).optional().meta({ description: 'The MCP server that offers it.' }),
  kind: z
    .enum(['tool', 'resource', 'prompt'])
    .optional()
    .meta({ description: 'What an MCP server offers it as; a tool unless given.' }),
});

export type Tool = z.infer<typeof toolSchema>;
