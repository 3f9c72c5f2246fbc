import * as z from 'zod';
import { valueAt } from '../core/data.ts';
import { approvals } from './approvals.ts';
import {
  inputText,
  missingOfCall,
  outputText,
  parseArguments,
  refusalKind,
  resultText,
  textKind,
} from './content.ts';
import type { Dialect, Item, ReadMessage } from './dialect.ts';
import {
  contentOf,
  gather,
  hasPart,
  type Part,
  type PartKind,
  type PartKinds,
  problemsAround,
  readContent,
  readPart,
  unlessEmpty,
  unread,
} from './parts.ts';
import { unknownRole } from './roles.ts';
import { SHORTHANDS } from './shorthand.ts';

const messageParts: PartKinds = {
  input_text: inputText,
  output_text: outputText,
  refusal: refusalKind,
  text: textKind('text'),
};

const id = z.string().nullish().meta({ description: 'Names the item; not read.', readOnly: true });
const status = z.string().nullish().meta({
  description: '`completed`, `incomplete` or `in_progress`; noted unless completed.',
  readOnly: true,
});
const callId = z.string().min(1).meta({ description: 'Names the call; its output refers to it.' });
const name = z.string().min(1).meta({ description: 'Name of the tool.' });
const server = z.string().optional().meta({ description: 'The MCP server that offers the tool.' });
const args = z
  .union([z.string(), z.record(z.string(), z.unknown())])
  .optional()
  .meta({ description: 'JSON, as text or as a mapping.' });
const output = z
  .union([z.string(), z.array(z.discriminatedUnion('type', [inputText.schema, outputText.schema]))])
  .meta({ description: 'What the tool gave back: a text or a list of text parts.' });

const ROLES = ['system', 'developer', 'user', 'assistant'] as const;

function messageSchema(role: (typeof ROLES)[number]) {
  return z.strictObject({
    type: z
      .literal('message')
      .optional()
      .meta({ description: 'A message; the type unless given.', readOnly: true }),
    role: z.literal(role).meta({ description: `A message of the ${role}.` }),
    content: contentOf(role, messageParts),
    id,
    status,
    phase: unread,
  });
}

const messages = {
  system: messageSchema('system'),
  developer: messageSchema('developer'),
  user: messageSchema('user'),
  assistant: messageSchema('assistant'),
} as const;

function itemType(type: string, description: string) {
  return z.literal(type).meta({ description });
}

/** A call whose result comes in an item of its own. */
function callKind(type: string, given: 'arguments' | 'input', description: string): PartKind {
  return {
    schema: z.strictObject({
      type: itemType(type, description),
      call_id: callId,
      name,
      [given]: args,
      id,
      status,
      namespace: unread,
      caller: unread,
    }),
    missing: missingOfCall('call_id'),
    read: (item) => ({
      call: {
        id: String(item.call_id),
        name: String(item.name),
        arguments: given === 'input' ? (item.input ?? '') : parseArguments(item.arguments),
      },
      notes: unfinished(item, `The call of "${item.name}"`),
    }),
  };
}

function outputKind(type: string, description: string): PartKind {
  return {
    schema: z.strictObject({
      type: itemType(type, description),
      call_id: z.string().min(1).meta({ description: 'The call that this answers.' }),
      output,
      id,
      status,
      caller: unread,
    }),
    missing: {
      call_id: [
        'result-without-id',
        'An output needs `call_id`, the id of the call that it answers.',
      ],
    },
    read: (item) => ({
      result: { callId: String(item.call_id), content: outputOf(item.output), idAt: ['call_id'] },
      notes: unfinished(item, 'The output of a call'),
    }),
  };
}

function outputOf(given: unknown): string {
  if (!Array.isArray(given)) return resultText(given);
  return given.map((part: unknown) => String(valueAt(part, ['text']))).join('\n\n');
}

/** Of a call that an MCP server answered at once. */
const mcpCall: PartKind = {
  schema: z.strictObject({
    type: itemType('mcp_call', 'A call of a tool of an MCP server, with its output.'),
    id: z.string().min(1).meta({ description: 'Names the call.' }),
    name,
    arguments: args,
    server_label: server,
    output: z.string().nullish().meta({ description: 'What the tool gave back.' }),
    error: z.unknown().optional().meta({ description: 'What went wrong.' }),
    status,
    approval_request_id: id,
  }),
  missing: missingOfCall('id'),
  read(item): Part {
    const given = item.output ?? item.error;
    const call = {
      id: String(item.id),
      name: String(item.name),
      arguments: parseArguments(item.arguments),
    };
    const notes = unfinished(item, `The call of "${item.name}"`);
    if (given === null || given === undefined) return { call, notes };
    return { call, notes, result: { callId: call.id, content: resultText(given), idAt: ['id'] } };
  },
};

const reasoning: PartKind = {
  schema: z.strictObject({
    type: itemType('reasoning', "The model's thoughts: noted, never judged."),
    id,
    status,
    summary: unread,
    content: unread,
    encrypted_content: unread,
  }),
  read: () => ({ notes: ["The model's reasoning."] }),
};

const mcpListTools: PartKind = {
  schema: z.strictObject({
    type: itemType('mcp_list_tools', 'What an MCP server offers: noted.'),
    id,
    server_label: server,
    tools: unread,
    error: unread,
  }),
  read: ({ server_label: label }) => ({
    notes: [`The list of tools of ${label === undefined ? 'an MCP server' : `"${label}"`}.`],
  }),
};

/** What stands in the list beside messages. */
const items: PartKinds = {
  function_call: callKind('function_call', 'arguments', 'A call of a tool.'),
  function_call_output: outputKind('function_call_output', 'The result of a call.'),
  custom_tool_call: callKind('custom_tool_call', 'input', 'A call of a tool that takes a text.'),
  custom_tool_call_output: outputKind('custom_tool_call_output', 'The result of a custom call.'),
  mcp_call: mcpCall,
  mcp_list_tools: mcpListTools,
  reasoning,
  ...approvals,
};

/** OpenAI Responses: `message`, `function_call`, `function_call_output` and other items. */
export const responses: Dialect = {
  name: 'OpenAI Responses',
  matches(item) {
    if (Object.hasOwn(item, 'role')) {
      const typed = Object.hasOwn(item, 'type') || Object.hasOwn(item, 'phase');
      const parts = ({ type }: Item) => type === 'input_text' || type === 'output_text';
      return typed || (item.role !== 'tool' && hasPart(item, parts));
    }
    return (
      typeof item.type === 'string' &&
      item.type !== 'message' &&
      !SHORTHANDS.some((side) => Object.hasOwn(item, side))
    );
  },
  schema: z.union([
    ...Object.values(messages),
    ...Object.values(items).map(({ schema }) => schema),
  ]),
  types: ['message', ...Object.keys(items), ...Object.keys(messageParts)],
  read(item) {
    const { type, role } = item;
    if (type !== undefined && type !== 'message') {
      const read = readPart(item, { item, role: 'assistant', kinds: items, at: [] });
      return gather('assistant', [read]);
    }
    return readMessage(item, role);
  },
};

function readMessage(item: Item, role: unknown): ReadMessage {
  const speaker = ROLES.find((one) => one === role);
  if (!speaker) return { problems: [unknownRole(role, ROLES)] };
  const problems = problemsAround(item, messages[speaker]);
  if (problems.length > 0) return { problems };
  const read = unlessEmpty(item, readContent(item, speaker, messageParts));
  if ('problems' in read) return read;
  return { ...read, notes: [...read.notes, ...unfinished(item, 'The message')] };
}

function unfinished({ status: given }: Item, what: string): string[] {
  if (given === undefined || given === null || given === 'completed') return [];
  return [`${what} has the status "${given}".`];
}
