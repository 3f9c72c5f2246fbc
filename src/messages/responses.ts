import * as z from 'zod';
import { stringOf } from '../core/data/data.ts';
import {
  approvals,
  callKind,
  hiddenInputs,
  ignored,
  inputText,
  mcpServer,
  missingOfCall,
  outputText,
  parseArguments,
  reasoningKind,
  refusalKind,
  resultKind,
  resultText,
  returnedText,
  status,
  textKind,
  textOrParts,
  toolArguments,
  toolName,
  unfinished,
  unread,
} from './content.ts';
import { type Dialect, type Item, messageSchemas, readByRole } from './dialect.ts';
import {
  contentOf,
  hasPart,
  joinParts,
  type Part,
  type PartKind,
  type PartKinds,
  partSchema,
  readContent,
  readPart,
  refuseEmpty,
} from './parts.ts';
import { SHORTHANDS } from './shorthand.ts';

const messageParts: PartKinds = {
  input_text: inputText,
  output_text: outputText,
  refusal: refusalKind,
  text: textKind('text'),
  ...hiddenInputs,
};

const id = z.string().nullish().meta({ description: 'Id of the item; ignored.', readOnly: true });
const returned: PartKinds = { input_text: inputText, output_text: outputText, ...hiddenInputs };

const messages = messageSchemas(['system', 'developer', 'user', 'assistant'], (role) => ({
  type: z
    .literal('message')
    .optional()
    .meta({ description: 'A message. Default: `message`.', readOnly: true }),
  content: contentOf(role, messageParts),
  id,
  status,
  phase: unread,
}));

const own = { id, status, ...ignored('namespace', 'caller') };

function outputKind(type: string, description: string): PartKind {
  return resultKind(type, {
    id: 'call_id',
    description,
    keys: {
      output: textOrParts(returned).describe('What the tool returned: text, or a list of parts.'),
      id,
      status,
      caller: unread,
    },
    contentOf: ({ output }) => returnedText(output, messageParts),
    notesOf: (item) => unfinished(item, 'The output of a call'),
  });
}

const items: PartKinds = {
  function_call: callKind('function_call', {
    id: 'call_id',
    keys: { arguments: toolArguments, ...own },
  }),
  function_call_output: outputKind('function_call_output', 'The result of a call.'),
  custom_tool_call: callKind('custom_tool_call', {
    id: 'call_id',
    description: 'A call to a tool that takes plain text.',
    keys: { input: toolArguments, ...own },
    argumentsOf: ({ input }) => input ?? '',
  }),
  custom_tool_call_output: outputKind(
    'custom_tool_call_output',
    'The result of a custom tool call.',
  ),
  /** A call that an MCP server has already answered. */
  mcp_call: {
    schema: partSchema('mcp_call', "A call to an MCP server's tool, with its output.", {
      id: z.string().min(1).describe('Id of the call.'),
      name: toolName,
      arguments: toolArguments,
      server_label: mcpServer,
      output: z.string().nullish().describe('What the tool returned.'),
      error: z.unknown().optional().describe('What went wrong.'),
      status,
      approval_request_id: id,
    }),
    missing: missingOfCall('id'),
    read(item): Part {
      const given = item.output ?? item.error;
      const call = {
        id: stringOf(item.id),
        name: stringOf(item.name),
        arguments: parseArguments(item.arguments),
      };
      const notes = unfinished(item, `The call of "${item.name}"`);
      if (given === null || given === undefined) return { call, notes };
      return { call, notes, result: { callId: call.id, content: resultText(given), idAt: ['id'] } };
    },
  },
  mcp_list_tools: {
    schema: partSchema(
      'mcp_list_tools',
      "An MCP server's list of tools. The judge sees a note about it.",
      {
        id,
        server_label: mcpServer,
        tools: unread,
        error: unread,
      },
    ),
    read: ({ server_label: label }) => ({
      notes: [`The list of tools of ${label === undefined ? 'an MCP server' : `"${label}"`}.`],
    }),
  },
  reasoning: reasoningKind('reasoning', ['summary', 'content', 'encrypted_content'], {
    id,
    status,
  }),
  ...approvals,
};

/** OpenAI Responses: `message`, `function_call`, `function_call_output`, and other items. */
export const responses: Dialect = {
  name: 'OpenAI Responses',
  matches(item) {
    if (Object.hasOwn(item, 'role')) {
      const typed = Object.hasOwn(item, 'type') || Object.hasOwn(item, 'phase');
      return typed || (item.role !== 'tool' && hasPart(item, isOwn));
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
    const { type } = item;
    if (type !== undefined && type !== 'message') {
      const read = readPart(item, { item, role: 'assistant', kinds: items, at: [] });
      return joinParts('assistant', [read]);
    }
    return readByRole(item, messages, (role) => {
      const read = refuseEmpty(item, readContent(item, role, messageParts));
      if ('problems' in read) return read;
      return { ...read, notes: [...read.notes, ...unfinished(item, 'The message')] };
    });
  },
};

function isOwn({ type }: Item): boolean {
  return ['input_text', 'output_text', 'input_image', 'input_file'].includes(stringOf(type));
}
