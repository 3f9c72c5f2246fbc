import * as z from 'zod';
import { isMapping, stringOf } from '../core/data/data.ts';
import {
  callKind,
  hiddenInputs,
  hiddenKind,
  ignored,
  inputText,
  resultKind,
  returnedText,
  status,
  textKind,
  toolArguments,
  toolName,
  unfinished,
  unread,
} from './content.ts';
import type { Dialect } from './dialect.ts';
import { joinParts, type PartKinds, readPart, unionOf } from './parts.ts';

const common = { id: unread, status, ...ignored('namespace', 'providerData') };

const text = textKind('text', { providerData: unread });
const image = hiddenKind('image', 'image', ['image', 'detail', 'providerData']);
const file = hiddenKind('file', 'file', ['file', 'filename', 'providerData']);
const returned: PartKinds = { text, input_text: inputText, image, file, ...hiddenInputs };

const returnedPart = unionOf(Object.values(returned));

const call = callKind('function_call', {
  id: 'callId',
  keys: { arguments: toolArguments, ...common },
});

const result = resultKind('function_call_result', {
  id: 'callId',
  keys: {
    name: toolName.optional(),
    output: z
      .union([z.string(), returnedPart, z.array(returnedPart)])
      .describe('What the tool returned: text, a part, or a list of parts.'),
    ...common,
  },
  contentOf: ({ output }) => returnedText(isMapping(output) ? [output] : output, returned),
  notesOf: (item) => unfinished(item, 'The result of a call'),
});

const items: PartKinds = { function_call: call, function_call_result: result };

/** Calls and results from the OpenAI Agents SDK for JavaScript; its messages use the Responses format. */
export const openaiAgents: Dialect = {
  name: 'OpenAI Agents SDK',
  matches: ({ type, ...keys }) =>
    type === 'function_call_result' ||
    // The Responses API has calls of the same type, but with snake_case keys.
    (stringOf(type).startsWith('function_') && Object.keys(keys).some((key) => /[A-Z]/.test(key))),
  schema: z.union(Object.values(items).map(({ schema }) => schema)),
  types: Object.keys(items),
  read: (item) =>
    joinParts('assistant', [readPart(item, { item, role: 'assistant', kinds: items, at: [] })]),
};
