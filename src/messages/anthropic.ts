import * as z from 'zod';
import {
  answeredCall,
  callId,
  failedResult,
  hiddenKind,
  missingOfCall,
  notedList,
  partText,
  resultText,
  textKind,
  toolName,
  unread,
} from './content.ts';
import { type Dialect, type Item, messageSchemas, readByRole } from './dialect.ts';
import {
  contentOf,
  hasPart,
  type PartKind,
  type PartKinds,
  readContent,
  unlessEmpty,
} from './parts.ts';

const added = { cache_control: unread };

const text = textKind('text', { ...added, citations: notedList });

const hidden: PartKinds = {
  image: hiddenKind('image', 'image', ['source', 'cache_control']),
  document: hiddenKind('document', 'document', [
    'source',
    'title',
    'context',
    'citations',
    'cache_control',
  ]),
};

const toolUse: PartKind = {
  schema: z.strictObject({
    type: z.literal('tool_use').meta({ description: 'A tool call.' }),
    id: callId,
    name: toolName,
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
    tool_use_id: answeredCall,
    content: z
      .union([
        z.string(),
        z.array(
          z.discriminatedUnion('type', [
            text.schema,
            ...Object.values(hidden).map(({ schema }) => schema),
          ]),
        ),
      ])
      .optional()
      .meta({ description: 'What the tool returned: text, or a list of blocks.' }),
    is_error: z
      .boolean()
      .optional()
      .meta({ description: 'True if the tool failed; noted, not judged.' }),
    ...added,
  }),
  of: ['user'],
  missing: {
    tool_use_id: [
      'result-without-id',
      'A tool result needs `tool_use_id`, the id of the call it answers.',
    ],
  },
  read: ({ tool_use_id: id, content, is_error: failed }, _message, at) => ({
    result: { callId: String(id), content: blocksText(content), idAt: [...at, 'tool_use_id'] },
    notes: failed === true ? [failedResult(id)] : [],
  }),
};

function blocksText(content: unknown): string {
  if (!Array.isArray(content)) return resultText(content);
  return content.map((block: unknown) => partText(block, hidden)).join('\n\n');
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
  ...hidden,
  tool_use: toolUse,
  tool_result: toolResult,
  thinking: thought('thinking', { thinking: unread, signature: unread }),
  redacted_thinking: thought('redacted_thinking', { data: unread }),
};

const parts: PartKinds = { text, ...own };

/** A whole reply of the API has more than role and content. */
const schemas = messageSchemas(['user', 'assistant', 'system'], (role) => ({
  content: contentOf(role, parts),
  type: z
    .literal('message')
    .optional()
    .meta({ description: 'Part of a whole API reply.', readOnly: true }),
  id: unread,
  model: unread,
  stop_reason: unread,
  stop_sequence: unread,
  usage: unread,
}));

/** Anthropic: `tool_use`, `tool_result`, `thinking` and text blocks. */
export const anthropic: Dialect = {
  name: 'Anthropic',
  matches: (item) =>
    Object.hasOwn(item, 'role') && (Object.hasOwn(item, 'stop_reason') || hasPart(item, isOwn)),
  schema: z.union(Object.values(schemas)),
  types: Object.keys(parts),
  read: (item) =>
    readByRole(item, schemas, (role) => unlessEmpty(item, readContent(item, role, parts))),
};

function isOwn(part: Item): boolean {
  if (Object.hasOwn(part, 'cache_control') || Object.hasOwn(part, 'citations')) return true;
  return typeof part.type === 'string' && Object.hasOwn(own, part.type);
}
