import * as z from 'zod';
import type { Path } from '../core/data.ts';
import type { ToolCall } from '../core/message.ts';
import { approvals } from './approvals.ts';
import {
  inputText,
  missingOfCall,
  outputText,
  parseArguments,
  resultText,
  textKind,
} from './content.ts';
import type { Dialect, HeldMessage, Item, ReadMessage } from './dialect.ts';
import {
  contentOf,
  hasPart,
  type PartKind,
  type PartKinds,
  partsOf,
  problemsAround,
  readContent,
  type Speaker,
  unlessEmpty,
  unread,
} from './parts.ts';
import { unknownRole } from './roles.ts';

const name = z.string().min(1).meta({ description: 'Name of the tool.' });
const args = z
  .union([z.string(), z.record(z.string(), z.unknown())])
  .optional()
  .meta({ description: 'JSON, as text or as a mapping.' });
const callId = z.string().min(1).meta({ description: 'Names the call; its result refers to it.' });
const status = z
  .string()
  .nullish()
  .meta({ description: 'Noted unless `completed`.', readOnly: true });

/** The call as OpenAI writes it, within the part. */
const nestedCall = z.strictObject({
  id: callId,
  type: z.string().optional().meta({ description: 'Always `function`.' }),
  function: z
    .strictObject({ name, arguments: args })
    .meta({ description: 'What is called, and with what.' }),
});

const MISSING = missingOfCall('tool_call_id');

function callOf(id: unknown, tool: unknown, given: unknown): ToolCall {
  return { id: String(id), name: String(tool), arguments: parseArguments(given) };
}

function notesOf({ status: given }: Item, { name: tool }: ToolCall): string[] {
  if (given === undefined || given === null || given === 'completed') return [];
  return [`The call of "${tool}" has the status "${given}".`];
}

function callKind(type: string): PartKind {
  const described = z.literal(type).meta({ description: 'A call of a tool.' });
  return {
    schema: z.strictObject({
      type: described,
      tool_call_id: callId,
      name,
      arguments: args,
      status,
    }),
    of: ['assistant'],
    missing: MISSING,
    read(part) {
      const call = callOf(part.tool_call_id, part.name, part.arguments);
      return { call, notes: notesOf(part, call) };
    },
  };
}

/** As `callKind`, or with the call as OpenAI writes it in `tool_call`. */
const toolCall: PartKind = {
  schema: z.strictObject({
    type: z.literal('tool_call').meta({ description: 'A call of a tool.' }),
    tool_call_id: callId.optional(),
    name: name.optional(),
    arguments: args,
    status,
    tool_call: nestedCall.optional().meta({ description: 'The call, in OpenAI form.' }),
  }),
  of: ['assistant'],
  missing: {
    ...MISSING,
    'tool_call.id': ['call-without-id', 'This tool call has no `id`.'],
    'tool_call.function': ['call-without-name', 'This tool call names no tool.'],
    'tool_call.function.name': ['call-without-name', 'This tool call names no tool.'],
  },
  read(part, _message, at) {
    const nested = nestedCall.safeParse(part.tool_call);
    const call = nested.success
      ? callOf(nested.data.id, nested.data.function.name, nested.data.function.arguments)
      : callOf(part.tool_call_id, part.name, part.arguments);
    for (const key of nested.success ? [] : ['name', 'tool_call_id']) {
      const words = MISSING[key];
      if (words && part[key] === undefined) return { path: at, code: words[0], message: words[1] };
    }
    return { call, notes: notesOf(part, call) };
  },
};

function resultKind(type: string): PartKind {
  return {
    schema: z.strictObject({
      type: z.literal(type).meta({ description: 'The result of a tool call.' }),
      tool_call_id: callId.optional().meta({
        description: 'The call that this answers; that of the message unless given.',
      }),
      [type]: z.unknown().meta({ description: 'What the tool gave back, of any kind.' }),
      status,
    }),
    of: ['tool', 'assistant'],
    read(part, message, at) {
      const own = part.tool_call_id !== undefined;
      const id = own ? part.tool_call_id : message.tool_call_id;
      if (typeof id !== 'string' || id === '') {
        const text = 'A tool result needs `tool_call_id`, the id of the call that it answers.';
        return { path: [], code: 'result-without-id', message: text };
      }
      const idAt: Path = own ? [...at, 'tool_call_id'] : ['tool_call_id'];
      return { result: { callId: id, content: resultText(part[type]), idAt } };
    },
  };
}

const own: PartKinds = {
  tool_call: toolCall,
  tool_result: resultKind('tool_result'),
  function_call: callKind('function_call'),
  function_call_output: resultKind('function_call_output'),
  openapi_call: callKind('openapi_call'),
  openapi_call_output: resultKind('openapi_call_output'),
  ...approvals,
};

const parts: PartKinds = {
  text: textKind('text'),
  input_text: inputText,
  output_text: outputText,
  ...own,
};

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'] as const;

/** Keys that Azure's agents add and no other dialect knows. */
const marks = { run_id: unread, thread_id: unread, assistant_id: unread, createdAt: unread };

function messageSchema(role: Speaker) {
  return z.strictObject({
    role: z.literal(role).meta({ description: `A message of the ${role}.` }),
    content: contentOf(role, parts),
    name: unread,
    ...marks,
  });
}

const toolCallId = callId.meta({ description: 'The call that this answers.' });

const messages = {
  system: messageSchema('system'),
  developer: messageSchema('developer'),
  user: messageSchema('user'),
  assistant: messageSchema('assistant'),
  tool: messageSchema('tool').extend({ tool_call_id: toolCallId.optional() }),
} as const;

const { tool, ...others } = messages;

/** The call is named by the message, or by each of its parts; approvals name none. */
const schemas = [
  ...Object.values(others),
  tool.extend({ tool_call_id: toolCallId }),
  messageSchema('tool').extend({ content: partsOf('tool', parts) }),
];

/** Azure's agent messages: `tool_call` and `tool_result` parts, `openapi_call`, approvals. */
export const azure: Dialect = {
  name: 'Azure agents',
  matches(item) {
    if (!Object.hasOwn(item, 'role')) return false;
    if (Object.keys(marks).some((key) => Object.hasOwn(item, key))) return true;
    return hasPart(item, (part) => {
      const { type } = part;
      if (Object.hasOwn(part, 'tool_result')) return true;
      if (item.role === 'tool') return type !== 'text';
      return type !== 'tool_result' && typeof type === 'string' && Object.hasOwn(own, type);
    });
  },
  schema: z.union(schemas),
  types: Object.keys(parts),
  read(item) {
    const speaker = ROLES.find((one) => one === item.role);
    if (!speaker) return { problems: [unknownRole(item.role, ROLES)] };
    const problems = problemsAround(item, messages[speaker]);
    if (problems.length > 0) return { problems };
    const read = once(readContent(item, speaker, parts));
    return speaker === 'tool' ? readResult(item, read) : unlessEmpty(item, read);
  },
};

/** Results of one message that all lack the same id lack it once. */
function once(read: ReadMessage): ReadMessage {
  if (!('problems' in read)) return read;
  const seen = new Set<string>();
  return {
    problems: read.problems.filter(({ path, code }) => {
      const key = `${code} ${path.join('.')}`;
      return !seen.has(key) && seen.add(key);
    }),
  };
}

/** Texts and results of a tool message; what several parts say about one call is one result. */
function readResult(item: Item, read: ReadMessage): ReadMessage {
  if ('problems' in read) return read;
  const own = typeof item.tool_call_id === 'string' ? item.tool_call_id : '';
  const texts: HeldMessage[] =
    typeof item.content === 'string'
      ? [{ message: { role: 'tool', callId: own, content: item.content } }]
      : [...read.messages];
  const results = new Map<string, HeldMessage>();
  for (const { message, ...rest } of texts) {
    if (message.role !== 'tool') continue;
    const callId = message.callId === '' ? own : message.callId;
    const before = results.get(callId)?.message.content;
    const content = before === undefined ? message.content : `${before}\n\n${message.content}`;
    results.set(callId, { ...rest, message: { role: 'tool', callId, content } });
  }
  return unlessEmpty(item, { messages: [...results.values()], notes: read.notes });
}
