import * as z from 'zod';
import type { Message } from '../core/message.ts';
import type { Missing, ValueProblem } from '../schema/valueProblems.ts';
import {
  annotationNotes,
  chatParts,
  MISSING_OF_CALLS,
  readToolCalls,
  toolCalls,
} from './content.ts';
import type { Dialect, Item, ReadMessage } from './dialect.ts';
import {
  contentOf,
  problemsAround,
  readContent,
  type Speaker,
  unlessEmpty,
  unread,
} from './parts.ts';
import { unknownRole } from './roles.ts';

const content = (of: Speaker) => contentOf(of, chatParts).optional();
const name = unread;

export const retrievalContext = z
  .array(z.string())
  .nullish()
  .meta({ description: 'What was retrieved for this reply, best first.' });

/** Keys that endpoints add to a message and that hold nothing of the conversation when empty. */
const extras = {
  refusal: z.string().nullish().meta({ description: "The model's words where it refused." }),
  annotations: z
    .array(z.unknown())
    .nullish()
    .meta({ description: 'Citations; noted, not read.', readOnly: true }),
  audio: z
    .null('Audio cannot be judged. Write its words as `content`')
    .optional()
    .meta({ description: 'Only null: audio cannot be judged.', readOnly: true }),
  function_call: z
    .null('Write calls as `tool_calls`')
    .optional()
    .meta({ description: 'Only null: write `tool_calls`.', readOnly: true }),
};

function role<Role extends string>(of: Role, description: string) {
  return z.literal(of).meta({ description });
}

const schemas = {
  system: z.strictObject({
    role: role('system', 'Instructions.'),
    content: content('system'),
    name,
  }),
  developer: z.strictObject({
    role: role('developer', 'Instructions.'),
    content: content('developer'),
    name,
  }),
  user: z.strictObject({
    role: role('user', 'What the user says.'),
    content: content('user'),
    name,
  }),
  assistant: z.strictObject({
    role: role('assistant', 'What the assistant says and calls.'),
    content: content('assistant'),
    name,
    tool_calls: toolCalls,
    retrieval_context: retrievalContext,
    ...extras,
  }),
  tool: z.strictObject({
    role: role('tool', 'The result of a tool call.'),
    content: content('tool'),
    tool_call_id: z.string().min(1).meta({ description: 'The call that this answers.' }),
    name,
  }),
} as const;

/** What a message of the assistant holds beside content and calls. */
const readable = z.object({ retrieval_context: retrievalContext, ...extras });

const MISSING: Missing = {
  ...MISSING_OF_CALLS,
  tool_call_id: [
    'result-without-id',
    'A tool result needs `tool_call_id`, the id of the call that it answers.',
  ],
};

const ROLES = Object.keys(schemas);

/** OpenAI Chat Completions: `{role, content, tool_calls?, tool_call_id?}`. */
export const openaiChat: Dialect = {
  name: 'OpenAI chat',
  matches: (item) => Object.hasOwn(item, 'role'),
  schema: z.discriminatedUnion('role', [
    schemas.system,
    schemas.developer,
    schemas.user,
    schemas.assistant,
    schemas.tool,
  ]),
  types: Object.keys(chatParts),
  read(item) {
    const { role } = item;
    if (!isRole(role)) return { problems: [unknownRole(role, ROLES)] };
    const problems = problemsAround(item, schemas[role], MISSING);
    if (problems.length > 0) return { problems };
    const read = readContent(item, role === 'tool' ? 'user' : role, chatParts);
    if ('problems' in read) return read;
    if (role === 'tool') return readResult(item, textsOf(read));
    return role === 'assistant' ? readAssistant(item, textsOf(read)) : unlessEmpty(item, read);
  },
};

function isRole(role: unknown): role is Speaker {
  return typeof role === 'string' && ROLES.includes(role);
}

function textsOf(read: Exclude<ReadMessage, { readonly problems: readonly ValueProblem[] }>) {
  return read.messages.map(({ message }) => message.content).join('\n\n');
}

function readAssistant(item: Item, text: string): ReadMessage {
  const { retrieval_context: context, refusal, annotations } = readable.parse(item);
  const calls = readToolCalls(item.tool_calls);
  const words = [text, refusal ?? ''].filter((part) => part !== '').join('\n\n');
  const notes = annotationNotes(annotations?.length ?? 0);
  const message: Message = {
    role: 'assistant',
    content: words,
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(context && { retrievalContext: context }),
  };
  const empty = words.trim() === '' && calls.length === 0;
  return unlessEmpty(item, { messages: empty ? [] : [{ message }], notes: empty ? [] : notes });
}

function readResult(item: Item, text: string): ReadMessage {
  const { content: given } = item;
  // A tool may well give back an empty text; no content at all is something forgotten.
  if (given === undefined || (Array.isArray(given) && given.length === 0)) {
    return unlessEmpty(item, { messages: [], notes: [] });
  }
  return {
    messages: [{ message: { role: 'tool', callId: String(item.tool_call_id), content: text } }],
    notes: [],
  };
}
