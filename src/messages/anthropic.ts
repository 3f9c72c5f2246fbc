import * as z from 'zod';
import { valueAt } from '../core/data/data.ts';
import {
  callKind,
  failedResult,
  hiddenKind,
  ignored,
  imageKind,
  notedList,
  reasoningKind,
  resultKind,
  returnedText,
  textKind,
  textOrParts,
  unread,
} from './content.ts';
import { type Dialect, type Item, messageSchemas } from './dialect.ts';
import { contentOf, hasPart, type PartKinds, readByContent } from './parts.ts';

const added = { cache_control: unread };

const text = textKind('text', { ...added, citations: notedList });

const hidden: PartKinds = {
  image: imageKind(
    'image',
    ['source', 'cache_control'],
    (part) => valueAt(part, ['source', 'data']),
    false,
  ),
  document: hiddenKind('document', 'document', [
    'source',
    'title',
    'context',
    'citations',
    'cache_control',
  ]),
};

const returned: PartKinds = { text, ...hidden };

const own: PartKinds = {
  ...hidden,
  tool_use: callKind('tool_use', {
    id: 'id',
    keys: {
      input: z.record(z.string(), z.unknown()).optional().describe('Arguments of the call.'),
      caller: unread,
      ...added,
    },
    argumentsOf: ({ input }) => input ?? {},
  }),
  tool_result: resultKind('tool_result', {
    id: 'tool_use_id',
    of: ['user'],
    keys: {
      content: textOrParts(returned)
        .optional()
        .describe('What the tool returned: text, or a list of blocks.'),
      is_error: z
        .boolean()
        .optional()
        .describe('True if the tool failed. The judge sees a note about it.'),
      ...added,
    },
    contentOf: ({ content }) => returnedText(content, returned),
    notesOf: ({ tool_use_id: id, is_error: failed }) => (failed === true ? [failedResult(id)] : []),
  }),
  thinking: { ...reasoningKind('thinking', ['thinking', 'signature']), of: ['assistant'] },
  redacted_thinking: { ...reasoningKind('redacted_thinking', ['data']), of: ['assistant'] },
};

const parts: PartKinds = { text, ...own };

const schemas = messageSchemas(['user', 'assistant', 'system'], (role) => ({
  content: contentOf(role, parts),
  type: z
    .literal('message')
    .optional()
    .meta({ description: 'Part of a complete API response.', readOnly: true }),
  ...ignored('id', 'model', 'stop_reason', 'stop_sequence', 'usage'),
}));

/** Anthropic: `tool_use`, `tool_result`, `thinking`, and text blocks. */
export const anthropic: Dialect = {
  name: 'Anthropic',
  matches: (item) =>
    Object.hasOwn(item, 'role') && (Object.hasOwn(item, 'stop_reason') || hasPart(item, isOwn)),
  schema: z.union(Object.values(schemas)),
  types: Object.keys(parts),
  read: (item) => readByContent(item, schemas, parts),
};

function isOwn(part: Item): boolean {
  if (Object.hasOwn(part, 'cache_control') || Object.hasOwn(part, 'citations')) return true;
  if (part.type === 'image') return Object.hasOwn(part, 'source');
  return typeof part.type === 'string' && Object.hasOwn(own, part.type);
}
