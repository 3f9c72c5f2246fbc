import * as z from 'zod';
import {
  answeredCall,
  callId,
  mediaKind,
  missingOfCall,
  notedKind,
  parseArguments,
  resultText,
  toolArguments,
  toolName,
  unread,
} from './content.ts';
import { type Dialect, messageSchemas } from './dialect.ts';
import { type PartKind, type PartKinds, partsOf, readByParts } from './parts.ts';

const text: PartKind = {
  schema: z.strictObject({
    type: z.literal('text').meta({ description: 'A part of text.' }),
    content: z.string().meta({ description: 'The text.' }),
  }),
  of: ['system', 'developer', 'user', 'assistant'],
  read: ({ content }) => ({ text: String(content) }),
};

const toolCall: PartKind = {
  schema: z.strictObject({
    type: z.literal('tool_call').meta({ description: 'A tool call.' }),
    id: callId,
    name: toolName,
    arguments: toolArguments
      .nullable()
      .meta({ description: 'What the tool is called with: JSON.' }),
  }),
  of: ['assistant'],
  missing: missingOfCall('id'),
  read: ({ id, name, arguments: given }) => ({
    call: { id: String(id), name: String(name), arguments: parseArguments(given) },
  }),
};

const returned = z.unknown().optional();

const toolCallResponse: PartKind = {
  schema: z.strictObject({
    type: z.literal('tool_call_response').meta({ description: 'The result of a tool call.' }),
    id: answeredCall,
    response: returned.meta({ description: 'What the tool returned: any value.' }),
    result: returned.meta({ description: 'As `response`, in older versions.' }),
  }),
  of: ['tool', 'user', 'assistant'],
  missing: {
    id: ['result-without-id', 'A tool result needs `id`, the id of the call it answers.'],
  },
  read: ({ id, response, result }, _message, at) => ({
    result: {
      callId: String(id),
      content: resultText(response ?? result),
      idAt: [...at, 'id'],
    },
  }),
};

/** What is not text; `modality` says what it is. */
const media: PartKinds = {
  blob: mediaKind('blob', 'modality', ['mime_type', 'content']),
  file: mediaKind('file', 'modality', ['mime_type', 'file_id']),
  uri: mediaKind('uri', 'modality', ['mime_type', 'uri']),
};

const parts: PartKinds = {
  text,
  tool_call: toolCall,
  tool_call_response: toolCallResponse,
  reasoning: {
    ...notedKind(
      'reasoning',
      "The model's thoughts: noted, never judged.",
      ['content'],
      "The model's reasoning.",
    ),
    of: ['assistant'],
  },
  ...media,
};

const schemas = messageSchemas(['system', 'developer', 'user', 'assistant', 'tool'], (role) => ({
  parts: partsOf(role, parts),
  name: unread,
  ...(role === 'assistant' && { finish_reason: unread }),
}));

/** OpenTelemetry's messages of `gen_ai.input.messages` and `gen_ai.output.messages`. */
export const openTelemetry: Dialect = {
  name: 'OpenTelemetry GenAI',
  matches: (item) => Object.hasOwn(item, 'role') && Array.isArray(item.parts),
  schema: z.union(Object.values(schemas)),
  types: Object.keys(parts),
  read: (item) => readByParts(item, schemas, parts),
};
