import * as z from 'zod';
import { stringOf } from '../core/data/data.ts';
import type { Message } from '../core/message.ts';
import { type Missing, valueProblems } from '../schema/valueProblems.ts';
import {
  agent,
  answeredCall,
  assistantMessage,
  MISSING_OF_CALLS,
  ownParts,
  readToolCalls,
  retrievalContext,
  toolCalls,
} from './content.ts';
import { type Dialect, type Item, type ReadMessage, refused } from './dialect.ts';
import { partsOf, readParts, refuseEmpty } from './parts.ts';

const words = (who: string) => z.string().describe(`What ${who} said.`);

const schemas = {
  user: z.strictObject({
    user: z
      .union([z.string(), partsOf('user', ownParts)])
      .describe('What the user said: text, or a list of parts.'),
  }),
  assistant: z.strictObject({
    assistant: z.string().nullable().describe('What the assistant said.'),
    tool_calls: toolCalls,
    retrieval_context: retrievalContext,
    agent,
  }),
  system: z.strictObject({ system: words('the system') }),
  developer: z.strictObject({ developer: words('the developer') }),
  tool: z.strictObject({
    tool: z.string().describe('The result of a tool call.'),
    tool_call_id: answeredCall.optional().meta({
      description:
        'Id of the call that this result belongs to. Optional if only one call has no result yet.',
    }),
  }),
} as const;

const MISSING: Missing = {
  ...MISSING_OF_CALLS,
  tool_call_id: ['result-without-id', 'A tool result needs the id of the call it answers.'],
};

type Side = keyof typeof schemas;

export const SHORTHANDS: readonly string[] = Object.keys(schemas);

/** `{user: Hi}`, `{assistant: Hello, tool_calls: […]}`, `{tool: "…"}`. */
export const shorthand: Dialect = {
  name: 'shorthand',
  isOurs: true,
  matches: (item) => !Object.hasOwn(item, 'role') && sideOf(item) !== undefined,
  types: [],
  schema: z.union(Object.values(schemas)),
  read(item) {
    const side = sideOf(item);
    if (!side) return refused([], 'missing-role', 'This is not a message.');
    const { user } = item;
    const isInParts = side === 'user' && Array.isArray(user);
    const whole = isInParts ? { ...item, user: '' } : item;
    const problems = valueProblems(schemas[side], whole, { missing: MISSING });
    if (problems.length > 0) return { problems };
    if (isInParts)
      return refuseEmpty(item, readParts({ role: side, ...item }, side, ownParts, 'user'), 'user');
    return readSide(side, stringOf(item[side] ?? ''), item);
  },
};

function sideOf(item: Item): Side | undefined {
  return Object.keys(item).find((key): key is Side => SHORTHANDS.includes(key));
}

function readSide(side: Side, text: string, item: Item): ReadMessage {
  if (side === 'tool') {
    const id = item.tool_call_id;
    const message: Message = { role: 'tool', callId: stringOf(id ?? ''), content: text };
    return { messages: [{ message, joinsOpenCall: id === undefined }], notes: [] };
  }
  const messages =
    side === 'assistant'
      ? assistantMessage(text, readToolCalls(item.tool_calls), {
          agent: item.agent,
          context: retrievalContext.parse(item.retrieval_context),
        })
      : [{ message: { role: side, content: text } }];
  return messages.length === 0 || (text.trim() === '' && side !== 'assistant')
    ? refused([side], 'empty-content', 'The message is empty.')
    : { messages, notes: [] };
}
