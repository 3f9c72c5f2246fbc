import * as z from 'zod';
import { isMapping } from '../core/data/data.ts';
import {
  answeredCall,
  callId,
  hiddenInputs,
  hiddenKind,
  inputText,
  missingOfCall,
  parseArguments,
  partText,
  resultText,
  status,
  textKind,
  toolArguments,
  toolName,
  unfinished,
  unread,
} from './content.ts';
import type { Dialect } from './dialect.ts';
import { gather, type PartKind, type PartKinds, readPart } from './parts.ts';

const common = { id: unread, status, namespace: unread, providerData: unread };

const text = textKind('text', { providerData: unread });
const image = hiddenKind('image', 'image', ['image', 'detail', 'providerData']);
const file = hiddenKind('file', 'file', ['file', 'filename', 'providerData']);
const returned: PartKinds = { text, input_text: inputText, image, file, ...hiddenInputs };

const returnedPart = z.discriminatedUnion('type', [
  text.schema,
  inputText.schema,
  image.schema,
  file.schema,
  ...Object.values(hiddenInputs).map(({ schema }) => schema),
]);

const call: PartKind = {
  schema: z.strictObject({
    type: z.literal('function_call').meta({ description: 'A tool call.' }),
    callId,
    name: toolName,
    arguments: toolArguments,
    ...common,
  }),
  missing: missingOfCall('callId'),
  read: (item) => ({
    call: {
      id: String(item.callId),
      name: String(item.name),
      arguments: parseArguments(item.arguments),
    },
    notes: unfinished(item, `The call of "${item.name}"`),
  }),
};

const result: PartKind = {
  schema: z.strictObject({
    type: z.literal('function_call_result').meta({ description: 'The result of a call.' }),
    callId: answeredCall,
    name: toolName.optional(),
    output: z
      .union([z.string(), returnedPart, z.array(returnedPart)])
      .meta({ description: 'What the tool returned: text, a part, or a list of parts.' }),
    ...common,
  }),
  missing: {
    callId: ['result-without-id', 'A result needs `callId`, the id of the call it answers.'],
  },
  read: (item) => ({
    result: { callId: String(item.callId), content: outputOf(item.output), idAt: ['callId'] },
    notes: unfinished(item, 'The result of a call'),
  }),
};

function outputOf(given: unknown): string {
  if (!Array.isArray(given) && !isMapping(given)) return resultText(given);
  const parts: unknown[] = Array.isArray(given) ? given : [given];
  return parts.map((part) => partText(part, returned)).join('\n\n');
}

const items: PartKinds = { function_call: call, function_call_result: result };

/** Calls and results of the OpenAI Agents SDK for JavaScript; its messages are those of Responses. */
export const openaiAgents: Dialect = {
  name: 'OpenAI Agents SDK',
  matches: ({ type, ...keys }) =>
    type === 'function_call_result' ||
    // Responses have calls of the same type, with keys in snake case.
    (String(type).startsWith('function_') && Object.keys(keys).some((key) => /[A-Z]/.test(key))),
  schema: z.union(Object.values(items).map(({ schema }) => schema)),
  types: Object.keys(items),
  read: (item) =>
    gather('assistant', [readPart(item, { item, role: 'assistant', kinds: items, at: [] })]),
};
