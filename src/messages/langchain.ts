import * as z from 'zod';
import { isMapping, mappingOf, type Path, stringOf } from '../core/data/data.ts';
import type { ToolCall } from '../core/message.ts';
import { problemUnder, valueProblems } from '../schema/valueProblems.ts';
import {
  answeredCall,
  callId,
  chatParts,
  failedResult,
  hiddenKind,
  ignored,
  mediaKind,
  missingOfResult,
  NO_NAME,
  notedList,
  parseArguments,
  readToolCalls,
  reasoningKind,
  textKind,
  toolArguments,
  toolName,
  unread,
  validItems,
  withAgent,
} from './content.ts';
import {
  ABOUT,
  type AcceptedMessage,
  type Dialect,
  type Item,
  type MessageRole,
  type ReadMessage,
  refused,
} from './dialect.ts';
import {
  type PartKind,
  type PartKinds,
  partSchema,
  partsOf,
  readContent,
  refuseEmpty,
} from './parts.ts';

const SPEAKERS = { human: 'user', ai: 'assistant', system: 'system', tool: 'tool' } as const;

type Kind = keyof typeof SPEAKERS;

/** Keys of image, audio, and file blocks. None of them is read. */
const BLOCK = [
  'id',
  'index',
  'extras',
  'url',
  'base64',
  'data',
  'file_id',
  'source',
  'source_type',
  'mime_type',
  'filename',
  'metadata',
  'cache_control',
];

const marks = ignored('index', 'id', 'extras');

/** A call in a provider's own format, which `tool_calls` repeats. */
function repeatedCall(type: string, id: string, given: string): PartKind {
  return {
    schema: partSchema(type, 'A tool call that is also in `tool_calls`.', {
      [id]: callId,
      name: toolName,
      [given]: toolArguments,
      ...(id !== 'id' && { id: unread }),
      ...ignored('index', 'status', 'extras', 'caller'),
    }),
    of: ['assistant'],
    read(part, message) {
      const call = { id: stringOf(part[id]), name: stringOf(part.name) };
      const listed = callsOf(message).some((one) => one.id === call.id);
      return listed ? {} : { call: { ...call, arguments: parseArguments(part[given]) } };
    },
  };
}

const parts: PartKinds = {
  ...chatParts,
  text: textKind('text', { annotations: notedList, citations: notedList, ...marks }),
  image: hiddenKind('image', 'image', BLOCK),
  audio: hiddenKind('audio', 'audio', BLOCK),
  video: hiddenKind('video', 'video', BLOCK),
  file: mediaKind('file', 'mime_type', ['file', ...BLOCK.filter((key) => key !== 'mime_type')]),
  tool_use: repeatedCall('tool_use', 'id', 'input'),
  tool_call: repeatedCall('tool_call', 'id', 'args'),
  function_call: repeatedCall('function_call', 'call_id', 'arguments'),
  thinking: reasoningKind('thinking', ['thinking', 'signature', 'index']),
  redacted_thinking: reasoningKind('redacted_thinking', ['data', 'index']),
  reasoning: reasoningKind('reasoning', [
    'reasoning',
    'summary',
    'content',
    'encrypted_content',
    ...Object.keys(marks),
  ]),
};

const listedCall = z.strictObject({
  id: callId,
  name: toolName,
  args: toolArguments,
  type: z.literal('tool_call').optional().describe('Always `tool_call`.'),
  index: unread,
  extras: unread,
});

const SHAPES: Readonly<Record<Kind, z.ZodRawShape>> = {
  human: shapeOf('human'),
  ai: {
    ...shapeOf('ai'),
    tool_calls: z.array(listedCall).nullish().describe("Tool calls, in LangChain's format."),
    invalid_tool_calls: notedList,
    tool_call_chunks: unread,
    usage_metadata: unread,
  },
  system: shapeOf('system'),
  tool: {
    ...shapeOf('tool'),
    tool_call_id: answeredCall,
    status: z
      .string()
      .nullish()
      .describe('`error` if the tool failed. The judge sees a note about it.'),
    artifact: unread,
  },
};

function shapeOf(kind: Kind): z.ZodRawShape {
  return {
    content: z
      .union([
        z.string(),
        z.null(),
        z.array(z.union([z.string(), partsOf(SPEAKERS[kind], parts).element])),
      ])
      .describe('Text, or a list of texts and parts.'),
    ...ignored('id', 'name', 'example', 'chunk_position'),
    ...ignored('additional_kwargs', 'response_metadata', 'metadata'),
  };
}

const typeOf = (kind: Kind) => z.literal(kind).meta({ description: ABOUT[SPEAKERS[kind]] });

const kinds = Object.keys(SPEAKERS) as Kind[];

const sameKeys = z
  .record(z.string(), z.unknown())
  .describe("The message's keys, which can also be next to `type`.");

const constructed = z.strictObject({
  lc: z.literal(1).describe('Version of the serialization.'),
  type: z.literal('constructor').describe('A serialized message.'),
  id: z.array(z.string()).describe('The class. Its last part names the role.'),
  kwargs: sameKeys,
});

const MISSING = {
  'tool_calls.name': NO_NAME,
  'tool_calls.id': ['call-without-id', 'This tool call has no id. Add `id`.'],
  ...missingOfResult('tool_call_id'),
} as const;

/** LangChain's messages: `{type: human, content}`, the same keys under `data`, and serialized `lc` objects. */
export const langchain: Dialect = {
  name: 'LangChain',
  matches: (item) =>
    !Object.hasOwn(item, 'role') && (isConstructed(item) || kindOf(item.type) !== undefined),
  schema: z.union([
    ...kinds.map((kind) => z.strictObject({ type: typeOf(kind), ...SHAPES[kind] })),
    ...kinds.map((kind) => z.strictObject({ type: typeOf(kind), data: sameKeys })),
    constructed,
  ]),
  types: [...kinds, ...Object.keys(parts)],
  read(item) {
    if (isConstructed(item)) return readConstructed(item);
    const kind = kindOf(item.type) ?? 'human';
    if (!isMapping(item.data)) return readFields(item, kind, []);
    const { type: _type, data, ...others } = item;
    const [stranger] = Object.keys(others);
    if (stranger !== undefined) {
      return refused([stranger], 'unknown-key', `Unknown key "${stranger}" next to \`data\`.`);
    }
    return readFields(data as Item, kind, ['data']);
  },
};

function isConstructed(item: Item): boolean {
  return item.type === 'constructor' && Object.hasOwn(item, 'lc');
}

/** The kind of a message by its type (`ai`) or class (`AIMessage`, `AIMessageChunk`). */
function kindOf(type: unknown): Kind | undefined {
  const [name = ''] = /^\w+?(?=(Message(Chunk)?)?$)/.exec(stringOf(type)) ?? [];
  return kinds.find((kind) => kind === name.toLowerCase());
}

function readConstructed(item: Item): ReadMessage {
  const kind = Array.isArray(item.id) ? kindOf(item.id.at(-1)) : undefined;
  if (!kind) {
    const message = '`id` must end with HumanMessage, AIMessage, SystemMessage or ToolMessage.';
    return refused(item.id === undefined ? [] : ['id'], 'unknown-role', message);
  }
  if (!isMapping(item.kwargs)) {
    return refused([], 'missing-content', 'The serialized message has no `kwargs`.');
  }
  return readFields(item.kwargs, kind, ['kwargs']);
}

/** @param at the path of the fields in the item */
function readFields(fields: Item, kind: Kind, at: Path): ReadMessage {
  const schema = z.strictObject({ ...SHAPES[kind], type: z.unknown().optional() });
  const problems = valueProblems(schema, { ...fields, content: '' }, { missing: MISSING });
  const read = problems.length > 0 ? { problems } : readKind(fields, kind);
  if ('problems' in read) {
    return { problems: read.problems.map((problem) => problemUnder(at, problem)) };
  }
  const messages = read.messages.map((held) => ({
    ...held,
    ...(held.message.role === 'tool' && { idAt: [...at, ...(held.idAt ?? ['tool_call_id'])] }),
  }));
  return { ...read, messages };
}

function readKind(fields: Item, kind: Kind): ReadMessage {
  const { content } = fields;
  // A list can contain strings and parts.
  const toPart = (part: unknown) =>
    typeof part === 'string' ? { type: 'text', text: part } : part;
  const whole = Array.isArray(content) ? { ...fields, content: content.map(toPart) } : fields;
  const role: MessageRole = kind === 'tool' ? 'user' : SPEAKERS[kind];
  const read = readContent(whole, role, parts);
  if ('problems' in read) return read;
  if (kind === 'tool') return readResult(fields, read);
  return refuseEmpty(
    fields,
    kind === 'ai' ? withAgent(withCalls(fields, read), fields.name) : read,
  );
}

function readResult(fields: Item, { messages, notes }: AcceptedMessage): ReadMessage {
  const { tool_call_id: id, status, content: given } = fields;
  if (given === undefined || given === null) {
    return refuseEmpty(fields, { messages: [], notes: [] });
  }
  const content = messages.map(({ message }) => message.content).join('\n\n');
  return {
    messages: [{ message: { role: 'tool', callId: stringOf(id), content } }],
    notes: [...notes, ...(status === 'error' ? [failedResult(id)] : [])],
  };
}

/** Adds the calls that are stored next to the content; they come after the text. */
function withCalls(fields: Item, { messages, notes }: AcceptedMessage): AcceptedMessage {
  const toolCalls = callsOf(fields);
  const broken = Array.isArray(fields.invalid_tool_calls) ? fields.invalid_tool_calls : [];
  const all = [...notes, ...broken.map(() => 'A tool call with invalid JSON arguments.')];
  if (toolCalls.length === 0) return { messages, notes: all };
  const last = messages.at(-1)?.message;
  const said = last?.role === 'assistant' ? last : undefined;
  const calls = [...(said?.toolCalls ?? []), ...toolCalls];
  const message = { role: 'assistant' as const, content: said?.content ?? '', toolCalls: calls };
  return { messages: [...messages.slice(0, -1), { message }], notes: all };
}

/** Older versions store the calls in OpenAI's format. */
function callsOf(fields: Item): ToolCall[] {
  const listed = validItems(listedCall, fields.tool_calls);
  if (listed.length > 0) {
    return listed.map(({ id, name, args }) => ({ id, name, arguments: parseArguments(args) }));
  }
  try {
    return readToolCalls(mappingOf(fields.additional_kwargs).tool_calls);
  } catch {
    return [];
  }
}
