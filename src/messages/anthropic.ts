import * as z from 'zod';
import { valueAt } from '../core/data.ts';
import { missingOfCall, resultText, textKind } from './content.ts';
import type { Dialect, Item } from './dialect.ts';
import {
  contentOf,
  hasPart,
  type PartKind,
  type PartKinds,
  problemsAround,
  readContent,
  unlessEmpty,
  unread,
} from './parts.ts';
import { unknownRole } from './roles.ts';

const added = { cache_control: unread };

const text = textKind('text', {
  ...added,
  citations: z
    .array(z.unknown())
    .nullish()
    .meta({ description: 'Noted, not read.', readOnly: true }),
});

const toolUse: PartKind = {
  schema: z.strictObject({
    type: z.literal('tool_use').meta({ description: 'A call of a tool.' }),
    id: z.string().min(1).meta({ description: 'Names the call; its result refers to it.' }),
    name: z.string().min(1).meta({ description: 'Name of the tool.' }),
    input: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'What the tool is called with.' }),
    caller: unread,
    ...added,
  }),
  of: ['assistant'],
  missing: missingOfCall('id'),
  read: ({ id, name, input }) => ({
    call: { id: String(id), name: String(name), arguments: input ?? {} },
  }),
};

const toolResult: PartKind = {
  schema: z.strictObject({
    type: z.literal('tool_result').meta({ description: 'The result of a tool call.' }),
    tool_use_id: z.string().min(1).meta({ description: 'The call that this answers.' }),
    content: z
      .union([z.string(), z.array(text.schema)])
      .optional()
      .meta({ description: 'What the tool gave back: a text or a list of text blocks.' }),
    is_error: z.boolean().optional().meta({ description: 'True where the tool failed; noted.' }),
    ...added,
  }),
  of: ['user'],
  missing: {
    tool_use_id: [
      'result-without-id',
      'A tool result needs `tool_use_id`, the id of the call that it answers.',
    ],
  },
  read: ({ tool_use_id: id, content, is_error: failed }, _message, at) => ({
    result: { callId: String(id), content: blocksText(content), idAt: [...at, 'tool_use_id'] },
    notes: failed === true ? [`The result of the call "${id}" says that the tool failed.`] : [],
  }),
};

function blocksText(content: unknown): string {
  if (!Array.isArray(content)) return resultText(content);
  return content.map((block: unknown) => String(valueAt(block, ['text']))).join('\n\n');
}

function thought(type: string, keys: Readonly<Record<string, z.ZodType>>): PartKind {
  return {
    schema: z.strictObject({
      type: z.literal(type).meta({ description: "The model's thoughts: noted, never judged." }),
      ...keys,
    }),
    of: ['assistant'],
    read: () => ({ notes: ["The model's thinking."] }),
  };
}

const own: PartKinds = {
  tool_use: toolUse,
  tool_result: toolResult,
  thinking: thought('thinking', { thinking: unread, signature: unread }),
  redacted_thinking: thought('redacted_thinking', { data: unread }),
};

const parts: PartKinds = { text, ...own };

const ROLES = ['user', 'assistant', 'system'] as const;

/** Keys of a whole reply of the API. */
const reply = { model: unread, stop_reason: unread, stop_sequence: unread, usage: unread };

function messageSchema(role: (typeof ROLES)[number]) {
  return z.strictObject({
    role: z.literal(role).meta({ description: `A message of the ${role}.` }),
    content: contentOf(role, parts),
    type: z
      .literal('message')
      .optional()
      .meta({ description: 'Of a whole reply of the API.', readOnly: true }),
    id: unread,
    ...reply,
  });
}

const messages = {
  user: messageSchema('user'),
  assistant: messageSchema('assistant'),
  system: messageSchema('system'),
} as const;

/** Anthropic: `tool_use`, `tool_result`, `thinking` and text blocks. */
export const anthropic: Dialect = {
  name: 'Anthropic',
  matches(item) {
    if (!Object.hasOwn(item, 'role')) return false;
    if (Object.hasOwn(item, 'stop_reason')) return true;
    return hasPart(item, isOwn);
  },
  schema: z.union(Object.values(messages)),
  types: Object.keys(parts),
  read(item) {
    const speaker = ROLES.find((one) => one === item.role);
    if (!speaker) return { problems: [unknownRole(item.role, ROLES)] };
    const problems = problemsAround(item, messages[speaker]);
    if (problems.length > 0) return { problems };
    return unlessEmpty(item, readContent(item, speaker, parts));
  },
};

function isOwn(part: Item): boolean {
  if (Object.hasOwn(part, 'cache_control') || Object.hasOwn(part, 'citations')) return true;
  return typeof part.type === 'string' && Object.hasOwn(own, part.type);
}
