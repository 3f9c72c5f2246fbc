import * as z from 'zod';
import type { Message } from '../core/message.ts';
import { readToolCalls, toolCallSchema } from './content.ts';
import { type Dialect, type Item, type ReadMessage, refused } from './dialect.ts';
import { keyProblems } from './keys.ts';
import { retrievalContext } from './openaiChat.ts';

const said = (who: string) => z.string().meta({ description: `What ${who} said.` });

const schemas = {
  user: z.strictObject({ user: said('the user') }),
  assistant: z.strictObject({
    assistant: z.string().nullable().meta({ description: 'What the assistant said.' }),
    tool_calls: z
      .array(toolCallSchema)
      .nullish()
      .meta({ description: 'Calls of tools, in OpenAI form.' }),
    retrieval_context: retrievalContext,
  }),
  system: z.strictObject({ system: said('the system') }),
  developer: z.strictObject({ developer: said('the developer') }),
  tool: z.strictObject({
    tool: z.string().meta({ description: 'The result of a tool call.' }),
    tool_call_id: z.string().min(1).optional().meta({
      description: 'The call that this answers; not needed while one call alone is open.',
    }),
  }),
} as const;

type Side = keyof typeof schemas;

export const SHORTHANDS: readonly string[] = Object.keys(schemas);

/** `{user: Hi}`, `{assistant: Hello, tool_calls: […]}`, `{tool: "…"}`. */
export const shorthand: Dialect = {
  name: 'shorthand',
  matches: (item) => !Object.hasOwn(item, 'role') && sideOf(item) !== undefined,
  types: [],
  schema: z.union([
    schemas.user,
    schemas.assistant,
    schemas.system,
    schemas.developer,
    schemas.tool,
  ]),
  read(item) {
    const side = sideOf(item);
    if (!side) return refused([], 'missing-role', 'This is no message.');
    const problems = keyProblems(item, schemas[side], `a message \`${side}: …\``);
    if (problems.length > 0) return { problems };
    const text = item[side];
    if (typeof text !== 'string' && !(side === 'assistant' && text === null)) {
      return refused([side], 'wrong-type', `\`${side}\` must be a text.`);
    }
    return readSide(side, typeof text === 'string' ? text : '', item);
  },
};

function sideOf(item: Item): Side | undefined {
  return Object.keys(item).find((key): key is Side => SHORTHANDS.includes(key));
}

function readSide(side: Side, text: string, item: Item): ReadMessage {
  if (side === 'tool') {
    const id = schemas.tool.shape.tool_call_id.safeParse(item.tool_call_id);
    if (!id.success) {
      return refused(
        ['tool_call_id'],
        'result-without-id',
        '`tool_call_id` must be the id of a call.',
      );
    }
    const message: Message = { role: 'tool', callId: id.data ?? '', content: text };
    return { messages: [{ message, joinsOpenCall: id.data === undefined }], notes: [] };
  }
  if (side !== 'assistant') {
    if (text.trim() === '') return refused([side], 'empty-content', 'The message is empty.');
    return { messages: [{ message: { role: side, content: text } }], notes: [] };
  }
  const calls = readToolCalls(item.tool_calls);
  if ('problems' in calls) return calls;
  const context = retrievalContext.safeParse(item.retrieval_context);
  if (!context.success) {
    return refused(
      ['retrieval_context'],
      'wrong-type',
      '`retrieval_context` must be a list of texts.',
    );
  }
  if (text.trim() === '' && calls.length === 0) {
    return refused([side], 'empty-content', 'The message is empty.');
  }
  const message: Message = {
    role: 'assistant',
    content: text,
    ...(calls.length > 0 && { toolCalls: [...calls] }),
    ...(context.data && { retrievalContext: context.data }),
  };
  return { messages: [{ message }], notes: [] };
}
