import * as z from 'zod';
import type { Message } from '../core/message.ts';
import { type Missing, valueProblems } from '../schema/valueProblems.ts';
import { MISSING_OF_CALLS, readToolCalls, toolCalls } from './content.ts';
import { type Dialect, type Item, type ReadMessage, refused } from './dialect.ts';
import { retrievalContext } from './openaiChat.ts';

const said = (who: string) => z.string().meta({ description: `What ${who} said.` });

const schemas = {
  user: z.strictObject({ user: said('the user') }),
  assistant: z.strictObject({
    assistant: z.string().nullable().meta({ description: 'What the assistant said.' }),
    tool_calls: toolCalls,
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

const MISSING: Missing = {
  ...MISSING_OF_CALLS,
  tool_call_id: ['result-without-id', 'A tool result needs the id of the call that it answers.'],
};

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
    const problems = valueProblems(schemas[side], item, { missing: MISSING });
    if (problems.length > 0) return { problems };
    return readSide(side, String(item[side] ?? ''), item);
  },
};

function sideOf(item: Item): Side | undefined {
  return Object.keys(item).find((key): key is Side => SHORTHANDS.includes(key));
}

function readSide(side: Side, text: string, item: Item): ReadMessage {
  if (side === 'tool') {
    const id = item.tool_call_id;
    const message: Message = { role: 'tool', callId: String(id ?? ''), content: text };
    return { messages: [{ message, joinsOpenCall: id === undefined }], notes: [] };
  }
  if (side !== 'assistant') {
    if (text.trim() === '') return refused([side], 'empty-content', 'The message is empty.');
    return { messages: [{ message: { role: side, content: text } }], notes: [] };
  }
  const calls = readToolCalls(item.tool_calls);
  const context = retrievalContext.parse(item.retrieval_context);
  if (text.trim() === '' && calls.length === 0) {
    return refused([side], 'empty-content', 'The message is empty.');
  }
  const message: Message = {
    role: 'assistant',
    content: text,
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(context && { retrievalContext: context }),
  };
  return { messages: [{ message }], notes: [] };
}
