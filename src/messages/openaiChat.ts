import * as z from 'zod';
import { stringOf } from '../core/data/data.ts';
import type { Message } from '../core/message.ts';
import {
  agent,
  annotationNotes,
  answeredCall,
  assistantMessage,
  chatParts,
  MISSING_OF_CALLS,
  missingOfResult,
  notedList,
  readToolCalls,
  retrievalContext,
  toolCalls,
  unread,
} from './content.ts';
import {
  type Dialect,
  type Item,
  messageSchemas,
  type ReadMessage,
  type RefusedMessage,
  readByRole,
} from './dialect.ts';
import { contentOf, readContent, refuseEmpty, unionBy } from './parts.ts';

/** Keys that endpoints add to a message. */
const extras = {
  refusal: z.string().nullish().describe("The model's refusal."),
  annotations: notedList,
  audio: z
    .looseObject({
      transcript: z.string().nullish().meta({ description: 'What was said.', readOnly: true }),
    })
    .nullish()
    .meta({
      description:
        "Audio. The judge reads its `transcript`; without one, it sees a note that the audio isn't shown.",
      readOnly: true,
    }),
  function_call: z
    .null('Write calls as `tool_calls`')
    .optional()
    .meta({ description: 'Always null: use `tool_calls`.', readOnly: true }),
};

const schemas = messageSchemas(['system', 'developer', 'user', 'assistant', 'tool'], (role) => ({
  content: contentOf(role, chatParts).optional(),
  ...(role === 'tool' && { tool_call_id: answeredCall }),
  name: unread,
  ...(role === 'assistant' && {
    tool_calls: toolCalls,
    retrieval_context: retrievalContext,
    agent,
    name: unread.describe('Name of the agent that is speaking, like `agent`.'),
    ...extras,
  }),
}));

const readable = z.object({ retrieval_context: retrievalContext, ...extras });

const MISSING = {
  ...MISSING_OF_CALLS,
  ...missingOfResult('tool_call_id'),
};

/** OpenAI Chat Completions: `{role, content, tool_calls?, tool_call_id?}`. */
export const openaiChat: Dialect = {
  name: 'OpenAI chat',
  matches: (item) => Object.hasOwn(item, 'role'),
  schema: unionBy('role', Object.values(schemas)),
  types: Object.keys(chatParts),
  read: (item) =>
    readByRole(
      item,
      schemas,
      (role) => {
        const read = readContent(item, role === 'tool' ? 'user' : role, chatParts);
        if ('problems' in read) return read;
        const text = read.messages.map(({ message }) => message.content).join('\n\n');
        if (role === 'tool') return readResult(item, text);
        return role === 'assistant' ? readAssistant(item, text, read) : refuseEmpty(item, read);
      },
      MISSING,
    ),
};

function readAssistant(
  item: Item,
  text: string,
  read: Exclude<ReadMessage, RefusedMessage>,
): ReadMessage {
  const { retrieval_context: context, refusal, annotations, audio } = readable.parse(item);
  const spoken = audio ? (audio.transcript ?? '[audio: not shown]') : '';
  const words = [text, spoken, refusal ?? ''].filter((part) => part !== '').join('\n\n');
  const agent = item.agent ?? item.name;
  const said = assistantMessage(words, readToolCalls(item.tool_calls), { agent, context });
  const images = read.messages.flatMap((one) => one.images ?? []);
  const messages = images.length === 0 ? said : said.map((one) => ({ ...one, images }));
  const notes = messages.length === 0 ? [] : annotationNotes(annotations?.length ?? 0);
  return refuseEmpty(item, { messages, notes: [...read.notes, ...notes] });
}

function readResult(item: Item, text: string): ReadMessage {
  const { content: given } = item;
  // A tool can return empty text, but missing content is an error.
  if (given === undefined || (Array.isArray(given) && given.length === 0)) {
    return refuseEmpty(item, { messages: [], notes: [] });
  }
  return {
    messages: [{ message: { role: 'tool', callId: stringOf(item.tool_call_id), content: text } }],
    notes: [],
  };
}

export function toOpenaiChat(message: Message): Record<string, unknown> {
  switch (message.role) {
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
    case 'assistant': {
      const { content, toolCalls, retrievalContext, agent } = message;
      const calls = toolCalls?.map(({ id, name, arguments: given, agent: caller }) => ({
        id,
        type: 'function',
        function: {
          name,
          arguments: typeof given === 'string' ? given : JSON.stringify(given),
        },
        ...(caller && { agent: caller }),
      }));
      return {
        role: 'assistant',
        content: content === '' && calls ? null : content,
        ...(calls && { tool_calls: calls }),
        ...(retrievalContext && { retrieval_context: retrievalContext }),
        ...(agent && { agent }),
      };
    }
    default:
      return { role: message.role, content: message.content };
  }
}
