import * as z from 'zod';
import type { Path } from '../core/data/data.ts';
import { stringOf } from '../core/data/data.ts';
import {
  answeredCall,
  approvals,
  callId,
  callKind,
  hiddenInChat,
  hiddenInputs,
  ignored,
  inputText,
  missingOfCall,
  NO_NAME,
  nestedCall,
  outputText,
  parseArguments,
  readToolCalls,
  resultText,
  status,
  textKind,
  toolArguments,
  toolName,
  unfinished,
  unread,
} from './content.ts';
import {
  type Dialect,
  type Item,
  messageSchemas,
  type ParsedMessage,
  type ReadMessage,
  readByRole,
} from './dialect.ts';
import {
  contentOf,
  hasPart,
  type PartKind,
  type PartKinds,
  partSchema,
  partsOf,
  readContent,
  refuseEmpty,
} from './parts.ts';

const MISSING = missingOfCall('tool_call_id');

function azureCall(type: string): PartKind {
  return callKind(type, { id: 'tool_call_id', keys: { arguments: toolArguments, status } });
}

/** Like `azureCall`, or with a call in OpenAI's format under `tool_call`. */
const toolCall: PartKind = {
  schema: partSchema('tool_call', 'A tool call.', {
    tool_call_id: callId.optional(),
    name: toolName.optional(),
    arguments: toolArguments,
    status,
    tool_call: nestedCall.optional().describe("The call, in OpenAI's format."),
  }),
  of: ['assistant'],
  missing: {
    ...MISSING,
    'tool_call.id': ['call-without-id', 'This tool call has no `id`.'],
    'tool_call.function': NO_NAME,
    'tool_call.function.name': NO_NAME,
  },
  read(part, _message, at) {
    const { name, tool_call_id: id, tool_call: nested } = part;
    for (const key of nested === undefined ? ['name', 'tool_call_id'] : []) {
      const words = MISSING[key];
      if (words && part[key] === undefined) {
        return { path: at, code: words[0], message: words[1], missing: [...at, key] };
      }
    }
    const own = {
      id: stringOf(id),
      name: stringOf(name),
      arguments: parseArguments(part.arguments),
    };
    const [call = own] = readToolCalls(nested === undefined ? [] : [nested]);
    return { call, notes: unfinished(part, `The call of "${call.name}"`) };
  },
};

function azureResult(type: string): PartKind {
  return {
    schema: partSchema(type, 'The result of a tool call.', {
      tool_call_id: callId.optional().meta({
        description:
          "Id of the call that this result belongs to. Default: the message's `tool_call_id`.",
      }),
      [type]: z.unknown().describe('What the tool returned: any value.'),
      status,
    }),
    of: ['tool', 'assistant'],
    read(part, message, at) {
      const own = part.tool_call_id !== undefined;
      const id = own ? part.tool_call_id : message.tool_call_id;
      if (typeof id !== 'string' || id === '') {
        const text = 'A tool result needs `tool_call_id`, the id of the call it answers.';
        return { path: [], code: 'result-without-id', message: text };
      }
      const idAt: Path = own ? [...at, 'tool_call_id'] : ['tool_call_id'];
      return { result: { callId: id, content: resultText(part[type]), idAt } };
    },
  };
}

const own: PartKinds = {
  tool_call: toolCall,
  tool_result: azureResult('tool_result'),
  function_call: azureCall('function_call'),
  function_call_output: azureResult('function_call_output'),
  openapi_call: azureCall('openapi_call'),
  openapi_call_output: azureResult('openapi_call_output'),
  ...approvals,
};

const parts: PartKinds = {
  text: textKind('text'),
  input_text: inputText,
  output_text: outputText,
  ...hiddenInChat,
  ...hiddenInputs,
  ...own,
};

/** Keys that only Azure's agents add. */
const marks = ignored('run_id', 'thread_id', 'assistant_id', 'createdAt');

const schemas = messageSchemas(['system', 'developer', 'user', 'assistant', 'tool'], (role) => ({
  content: contentOf(role, parts),
  name: unread,
  ...marks,
  ...(role === 'tool' && { tool_call_id: answeredCall.optional() }),
}));

const { tool, ...others } = schemas;

/** Either the message names the call, or each of its parts does. Approvals don't name a call. */
const accepted = [
  ...Object.values(others),
  tool.extend({ tool_call_id: answeredCall }),
  tool.omit({ tool_call_id: true }).extend({ content: partsOf('tool', parts) }),
];

/** Azure's agent messages, with `tool_call` and `tool_result` parts, `openapi_call`, and approvals. */
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
  schema: z.union(accepted),
  types: Object.keys(parts),
  read: (item) =>
    readByRole(item, schemas, (role) => {
      const read = withoutDuplicates(readContent(item, role, parts));
      return role === 'tool' ? readResult(item, read) : refuseEmpty(item, read);
    }),
};

/** Reports a missing id only once per message, instead of once per result. */
function withoutDuplicates(read: ReadMessage): ReadMessage {
  if (!('problems' in read)) return read;
  const seen = new Set<string>();
  return {
    problems: read.problems.filter(({ path, code }) => {
      const key = `${code} ${path.join('.')}`;
      return !seen.has(key) && seen.add(key);
    }),
  };
}

/** Reads text and results in a tool message. Parts about the same call are combined into one result. */
function readResult(item: Item, read: ReadMessage): ReadMessage {
  if ('problems' in read) return read;
  const own = typeof item.tool_call_id === 'string' ? item.tool_call_id : '';
  const texts: ParsedMessage[] =
    typeof item.content === 'string'
      ? [{ message: { role: 'tool', callId: own, content: item.content } }]
      : [...read.messages];
  const results = new Map<string, ParsedMessage>();
  for (const { message, ...rest } of texts) {
    if (message.role !== 'tool') continue;
    const callId = message.callId === '' ? own : message.callId;
    const before = results.get(callId)?.message.content;
    const content = before === undefined ? message.content : `${before}\n\n${message.content}`;
    results.set(callId, { ...rest, message: { role: 'tool', callId, content } });
  }
  return refuseEmpty(item, { messages: [...results.values()], notes: read.notes });
}
