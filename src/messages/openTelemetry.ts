import * as z from 'zod';
import { stringOf } from '../core/data/data.ts';
import {
  callKind,
  mediaKind,
  reasoningKind,
  resultKind,
  resultText,
  toolArguments,
  unread,
  unwrapTexts,
} from './content.ts';
import { type Dialect, messageSchemas } from './dialect.ts';
import { type PartKind, type PartKinds, partSchema, partsOf, readByParts } from './parts.ts';

const text: PartKind = {
  schema: partSchema('text', 'A text part.', {
    content: z.string().describe('The text.'),
  }),
  of: ['system', 'developer', 'user', 'assistant'],
  read: ({ content }) => ({ text: stringOf(content) }),
};

const returned = z.unknown().optional();

const parts: PartKinds = {
  text,
  tool_call: callKind('tool_call', {
    id: 'id',
    keys: {
      arguments: toolArguments.nullable().describe('Arguments of the call, as JSON.'),
    },
  }),
  tool_call_response: resultKind('tool_call_response', {
    id: 'id',
    of: ['tool', 'user', 'assistant'],
    keys: {
      response: returned.describe('What the tool returned: any value.'),
      result: returned.describe('The same as `response`, in older versions.'),
    },
    contentOf: ({ response, result }) => resultText(unwrapTexts(response ?? result)),
    notesOf: () => [],
  }),
  reasoning: { ...reasoningKind('reasoning', ['content']), of: ['assistant'] },
  blob: mediaKind('blob', 'modality', ['mime_type', 'content']),
  file: mediaKind('file', 'modality', ['mime_type', 'file_id']),
  uri: mediaKind('uri', 'modality', ['mime_type', 'uri']),
};

const schemas = messageSchemas(['system', 'developer', 'user', 'assistant', 'tool'], (role) => ({
  parts: partsOf(role, parts),
  name: unread,
  ...(role === 'assistant' && { finish_reason: unread }),
}));

/** OpenTelemetry's messages in `gen_ai.input.messages` and `gen_ai.output.messages`. */
export const openTelemetry: Dialect = {
  name: 'OpenTelemetry GenAI',
  matches: (item) => Object.hasOwn(item, 'role') && Array.isArray(item.parts),
  schema: z.union(Object.values(schemas)),
  types: Object.keys(parts),
  read: (item) => readByParts(item, schemas, parts),
};
