import * as z from 'zod';
import { type Image, imageSchema } from './image.ts';

export const toolCallSchema = z.object({
  id: z.string().meta({ description: 'Id of the call.' }),
  name: z.string().meta({ description: 'Name of the tool.' }),
  arguments: z
    .unknown()
    .meta({ description: "The parsed JSON, or the text if it isn't valid JSON." }),
});

/** A tool call in a message. Its agent defaults to the message's agent. */
const madeCallSchema = toolCallSchema.extend({
  agent: z.string().optional(),
  /** How long the tool took, in milliseconds. */
  latency: z.number().min(0).optional(),
  /** Id of the call during which this call was made, such as a call that consults another agent. */
  within: z.string().optional(),
});

/** The images of a message, in order; its text marks the position of each one with `imageText`. */
const images = z.array(imageSchema).optional();

/** A chat message in canonical form. Dialects produce it; all other code uses only this form. */
export const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string() }),
  z.strictObject({ role: z.literal('developer'), content: z.string() }),
  z.strictObject({ role: z.literal('user'), content: z.string(), images }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string(),
    images,
    toolCalls: z.array(madeCallSchema).optional(),
    retrievalContext: z.array(z.string()).optional(),
    agent: z.string().optional(),
  }),
  z.strictObject({ role: z.literal('tool'), callId: z.string(), content: z.string() }),
]);

export type ToolCall = z.infer<typeof toolCallSchema>;
export type MadeCall = z.infer<typeof madeCallSchema>;
export type Message = z.infer<typeof messageSchema>;

export function imagesOf(message: Message): readonly Image[] {
  return 'images' in message ? (message.images ?? []) : [];
}

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
    .meta({ description: 'How the MCP server offers it.', default: 'tool' }),
});

export type Tool = z.infer<typeof toolSchema>;

/** Tools in the forms that files can use: plain, or in OpenAI's wrapper. */
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
