import * as z from 'zod';
import { stringOf } from '../core/data/data.ts';
import {
  callId,
  failedResult,
  ignored,
  mediaKind,
  missingOfCall,
  notedKind,
  reasoningKind,
  resultText,
  textKind,
  toolName,
} from './content.ts';
import { type Dialect, type Item, messageSchemas } from './dialect.ts';
import {
  hasPart,
  type PartKind,
  type PartKinds,
  partSchema,
  partsOf,
  readByParts,
  typesOf,
} from './parts.ts';

const added = ignored('state', 'providerMetadata');

const toolFields = {
  toolCallId: callId,
  state: z
    .enum([
      'input-streaming',
      'input-available',
      'approval-requested',
      'approval-responded',
      'output-available',
      'output-error',
      'output-denied',
    ])
    .describe('State of the call.'),
  input: z.unknown().optional().describe('Arguments of the call.'),
  output: z.unknown().optional().describe('What the tool returned: any value.'),
  errorText: z.string().optional().describe('What went wrong.'),
  ...ignored('approval', 'rawInput', 'title', 'preliminary', 'providerExecuted'),
  ...ignored('callProviderMetadata', 'resultProviderMetadata'),
};

const readTool: PartKind['read'] = (part, _message, at) => {
  const { type, toolName: named, toolCallId: id, state, input, rawInput, output } = part;
  const name = type === 'dynamic-tool' ? stringOf(named) : stringOf(type).slice('tool-'.length);
  const call = { id: stringOf(id), name, arguments: input ?? rawInput ?? {} };
  const answer = (content: string) => ({
    callId: call.id,
    content,
    idAt: [...at, 'toolCallId'],
  });
  switch (state) {
    case 'output-available':
      return { call, result: answer(resultText(output)) };
    case 'output-error':
      return { call, result: answer(resultText(part.errorText)), notes: [failedResult(id)] };
    default:
      return { call, notes: [`The call of "${name}" has the state "${state}".`] };
  }
};

function toolKind(schema: z.ZodObject): PartKind {
  const missing = missingOfCall('toolCallId', 'toolName');
  return { schema, of: ['assistant'], missing, read: readTool };
}

const namedTool = z.strictObject({
  type: z
    .string()
    .regex(/^tool-./)
    .describe('`tool-` followed by the name of the tool.'),
  ...toolFields,
});

const dynamicTool = partSchema('dynamic-tool', 'A tool call, with its result.', {
  toolName,
  ...toolFields,
});

const data: PartKind = {
  schema: z.strictObject({
    type: z
      .string()
      .regex(/^data-./)
      .describe('`data-` followed by the kind of data. The judge sees a note about it.'),
    ...ignored('id', 'data', 'transient'),
  }),
  read: ({ type }) => ({ notes: [`A part of type "${type}".`] }),
};

const sourceNote = ({ title, url, filename }: Item) => `The source "${title ?? url ?? filename}".`;

const parts: PartKinds = {
  text: textKind('text', added),
  'tool-*': toolKind(namedTool),
  'dynamic-tool': toolKind(dynamicTool),
  file: mediaKind('file', 'mediaType', ['filename', 'url', 'providerMetadata']),
  reasoning: reasoningKind('reasoning', ['text', ...Object.keys(added)]),
  'source-url': notedKind(
    'source-url',
    'A web page that the reply is based on. The judge sees a note about it.',
    ['sourceId', 'url', 'title', 'providerMetadata'],
    sourceNote,
  ),
  'source-document': notedKind(
    'source-document',
    'A document that the reply is based on. The judge sees a note about it.',
    ['sourceId', 'mediaType', 'title', 'filename', 'providerMetadata'],
    sourceNote,
  ),
  'step-start': {
    schema: partSchema('step-start', 'The start of another request to the model.', {}),
    read: () => ({}),
  },
  'data-*': data,
};

const schemas = messageSchemas(['system', 'user', 'assistant'], (role) => ({
  parts: partsOf(role, parts),
  ...ignored('id', 'metadata', 'createdAt', 'content'),
}));

/** The AI SDK's `UIMessage`: `{id, role, parts}`, with a call and its result in one part. */
export const aiSdkUi: Dialect = {
  name: 'AI SDK UIMessage',
  matches: (item) =>
    Object.hasOwn(item, 'role') &&
    Array.isArray(item.parts) &&
    (Object.hasOwn(item, 'id') || hasPart(item, isOwn, 'parts')),
  schema: z.union(Object.values(schemas)),
  types: typesOf(parts),
  read: (item) => readByParts(item, schemas, parts),
};

/** Whether a part is the AI SDK's: OpenTelemetry's parts of the same types have different keys. */
function isOwn(part: Item): boolean {
  const ofOthers = ['text', 'file', 'reasoning'].includes(stringOf(part.type));
  if (!ofOthers && typeof part.type === 'string' && Object.hasOwn(parts, part.type)) return true;
  return (
    /^(tool|data)-./.test(stringOf(part.type)) ||
    ['text', 'toolCallId', 'mediaType', 'url'].some((key) => Object.hasOwn(part, key))
  );
}
