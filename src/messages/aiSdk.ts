import * as z from 'zod';
import { mappingOf, stringOf } from '../core/data/data.ts';
import {
  APPROVAL_REPLY,
  APPROVAL_REQUEST,
  agent,
  callKind,
  failedResult,
  hiddenKind,
  imageKind,
  mediaKind,
  notedKind,
  reasoningKind,
  resultKind,
  resultText,
  returnedText,
  textKind,
  toolName,
  unread,
  withAgent,
} from './content.ts';
import { type Dialect, type Item, messageSchemas } from './dialect.ts';
import { contentOf, hasPart, type PartKinds, partsOf, readByContent } from './parts.ts';

const added = { providerOptions: unread };

const returned: PartKinds = {
  text: textKind('text', added),
  media: mediaKind('media', 'mediaType', ['data']),
  'file-data': mediaKind('file-data', 'mediaType', ['data', 'filename', 'providerOptions']),
  'image-data': hiddenKind('image-data', 'image', ['data', 'mediaType', 'providerOptions']),
  'image-url': hiddenKind('image-url', 'image', ['url', 'providerOptions']),
  'file-url': hiddenKind('file-url', 'file', ['url', 'providerOptions']),
};

const output = z.strictObject({
  type: z
    .enum(['text', 'json', 'error-text', 'error-json', 'content', 'execution-denied'])
    .describe('The type of `value`.'),
  value: z.unknown().optional().describe('What the tool returned.'),
  reason: z.string().optional().describe('Why the call was refused.'),
  ...added,
});

const own: PartKinds = {
  'tool-call': callKind('tool-call', {
    id: 'toolCallId',
    name: 'toolName',
    keys: {
      input: z.unknown().optional().describe('Arguments of the call.'),
      args: z.unknown().optional().describe('The same as `input`, in version 4.'),
      providerExecuted: unread,
      ...added,
    },
    argumentsOf: ({ input, args }) => input ?? args ?? {},
  }),
  'tool-result': resultKind('tool-result', {
    id: 'toolCallId',
    of: ['tool', 'assistant'],
    keys: {
      toolName: toolName.optional(),
      output: output.optional().describe('What the tool returned.'),
      result: z.unknown().optional().describe('The same as `output`, in version 4: any value.'),
      isError: z
        .boolean()
        .optional()
        .describe('In version 4: true if the tool failed. The judge sees a note about it.'),
      experimental_content: unread,
      input: unread,
      ...added,
    },
    contentOf({ output: given, result }) {
      const { type, value, reason } = mappingOf(given);
      if (type === 'execution-denied') return resultText(reason);
      return type === 'content' ? returnedText(value, returned) : resultText(value ?? result);
    },
    notesOf({ toolCallId: id, output: given, isError }) {
      const { type } = mappingOf(given);
      const failed = isError === true || stringOf(type).startsWith('error-');
      return [
        ...(failed ? [failedResult(id)] : []),
        ...(type === 'execution-denied' ? [`The call "${id}" was refused.`] : []),
      ];
    },
  }),
  'tool-approval-request': {
    ...notedKind(
      'tool-approval-request',
      APPROVAL_REQUEST,
      ['approvalId', 'toolCallId', 'providerOptions'],
      () => 'A request to approve a call.',
    ),
    of: ['assistant'],
  },
  'tool-approval-response': {
    ...notedKind(
      'tool-approval-response',
      APPROVAL_REPLY,
      ['approvalId', 'approved', 'reason', 'providerExecuted', 'providerOptions'],
      ({ approved }) => `A call was ${approved === true ? 'approved' : 'refused'}.`,
    ),
    of: ['tool'],
  },
};

const parts: PartKinds = {
  text: { ...textKind('text', added), of: ['system', 'user', 'assistant'] },
  image: {
    ...imageKind(
      'image',
      ['image', 'mediaType', 'mimeType', 'providerOptions'],
      ({ image }) => image,
    ),
    of: ['user'],
  },
  file: {
    ...mediaKind('file', 'mediaType', ['data', 'filename', 'mimeType', 'providerOptions']),
    of: ['user', 'assistant'],
  },
  reasoning: {
    ...reasoningKind('reasoning', ['text', 'signature', 'providerOptions']),
    of: ['assistant'],
  },
  ...own,
};

const schemas = messageSchemas(['system', 'user', 'assistant', 'tool'], (role) => ({
  content: contentOf(role, parts),
  ...added,
  ...(role === 'assistant' && { agent }),
}));

const { tool, ...others } = schemas;

/** A tool message is never plain text. */
const accepted = [...Object.values(others), tool.extend({ content: partsOf('tool', parts) })];

/** The AI SDK's `ModelMessage`, with `tool-call`, `tool-result`, `image`, and `file` parts. */
export const aiSdk: Dialect = {
  name: 'AI SDK ModelMessage',
  matches: (item) =>
    Object.hasOwn(item, 'role') && (Object.hasOwn(item, 'providerOptions') || hasPart(item, isOwn)),
  schema: z.union(accepted),
  types: Object.keys(parts),
  read(item) {
    const read = readByContent(item, schemas, parts);
    return 'problems' in read ? read : withAgent(read, item.agent);
  },
};

const MARKS = ['toolCallId', 'toolName', 'providerOptions', 'mediaType'];

function isOwn(part: Item): boolean {
  const { type } = part;
  if (typeof type === 'string' && Object.hasOwn(own, type)) return true;
  if (type === 'reasoning') return Object.hasOwn(part, 'text');
  if (type === 'image') return Object.hasOwn(part, 'image');
  return MARKS.some((key) => Object.hasOwn(part, key));
}
