import * as z from 'zod';
import type { Message } from '../core/message.ts';
import { contentSchema, readContent, readToolCalls, toolCallSchema } from './content.ts';
import type { Dialect, MessageProblem, ReadMessage } from './dialect.ts';
import { keyProblems } from './keys.ts';

const content = contentSchema.optional().meta({ description: 'A text or a list of text parts.' });
const name = z.string().optional().meta({ description: 'Name of the speaker or the tool.' });

/** Keys that endpoints add to a message and that hold nothing of the conversation when empty. */
const extras = {
  refusal: z.string().nullish().meta({ description: "The model's words where it refused." }),
  annotations: z.array(z.unknown()).nullish().meta({ description: 'Citations; not read.' }),
  audio: z.null().optional().meta({ description: 'Only null: audio cannot be judged.' }),
  function_call: z.null().optional().meta({ description: 'Only null: write `tool_calls`.' }),
};

const schemas = {
  system: z.strictObject({ role: z.literal('system'), content, name }),
  developer: z.strictObject({ role: z.literal('developer'), content, name }),
  user: z.strictObject({ role: z.literal('user'), content, name }),
  assistant: z.strictObject({
    role: z.literal('assistant'),
    content,
    name,
    tool_calls: z
      .array(toolCallSchema)
      .nullish()
      .meta({ description: 'Calls of tools, in OpenAI form.' }),
    retrieval_context: z
      .array(z.string())
      .optional()
      .meta({ description: 'What was retrieved for this reply, best first.' }),
    ...extras,
  }),
  tool: z.strictObject({
    role: z.literal('tool'),
    content,
    tool_call_id: z.string().min(1).meta({ description: 'The call that this answers.' }),
    name,
  }),
} as const;

type Role = keyof typeof schemas;

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
  read(item) {
    const { role } = item;
    if (!isRole(role)) return refused(unknownRole(role));
    const problems = keyProblems(item, schemas[role], `a ${role} message`);
    if (problems.length > 0) return { problems };
    const text = readContent(item.content);
    if (typeof text !== 'string') return refused(text.problem);
    return role === 'assistant' ? readAssistant(item, text) : readOther(role, item, text);
  },
};

function isRole(role: unknown): role is Role {
  return typeof role === 'string' && ROLES.includes(role);
}

function unknownRole(role: unknown): MessageProblem {
  const message = `${JSON.stringify(role) ?? 'nothing'} is no role. Roles are ${ROLES.join(', ')}.`;
  return { path: ['role'], code: 'unknown-role', message };
}

function readAssistant(item: Readonly<Record<string, unknown>>, text: string): ReadMessage {
  const calls = readToolCalls(item.tool_calls);
  if ('problems' in calls) return calls;
  const extra = z.object(extras).safeParse(item);
  const context = schemas.assistant.shape.retrieval_context.safeParse(item.retrieval_context);
  if (!context.success) {
    const message = '`retrieval_context` must be a list of texts.';
    return refused({ path: ['retrieval_context'], code: 'wrong-type', message });
  }
  if (!extra.success) {
    const key = String(extra.error.issues[0]?.path[0] ?? '');
    const message = `\`${key}\` cannot be read here. Write calls as \`tool_calls\` and words as \`content\`.`;
    return refused({ path: [key], code: 'unsupported', message });
  }
  const refusal = extra.data.refusal ?? '';
  const words = [text, refusal].filter((part) => part !== '').join('\n\n');
  if (words.trim() === '' && calls.length === 0) return refused(noContent(item));
  const notes = (extra.data.annotations ?? []).map(() => 'An annotation of an assistant message.');
  const message: Message = {
    role: 'assistant',
    content: words,
    ...(calls.length > 0 && { toolCalls: [...calls] }),
    ...(context.data && { retrievalContext: context.data }),
  };
  return { messages: [message], notes };
}

function readOther(
  role: Exclude<Role, 'assistant'>,
  item: Readonly<Record<string, unknown>>,
  text: string,
): ReadMessage {
  if (role !== 'tool') {
    if (text.trim() === '') return refused(noContent(item));
    return { messages: [{ role, content: text }], notes: [] };
  }
  const id = item.tool_call_id;
  if (typeof id !== 'string' || id === '') {
    const message = 'A tool result needs `tool_call_id`, the id of the call that it answers.';
    return refused({ path: [], code: 'result-without-id', message });
  }
  return { messages: [{ role, callId: id, content: text }], notes: [] };
}

function noContent(item: Readonly<Record<string, unknown>>): MessageProblem {
  const has = Object.hasOwn(item, 'content');
  return {
    path: has ? ['content'] : [],
    code: has ? 'empty-content' : 'missing-content',
    message: has ? 'The message is empty.' : 'The message has no `content`.',
  };
}

function refused(problem: MessageProblem): ReadMessage {
  return { problems: [problem] };
}
