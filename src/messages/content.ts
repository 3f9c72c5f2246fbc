import * as z from 'zod';
import { isMapping, jsonOrText, mappingOf, stringOf, valueAt } from '../core/data/data.ts';
import { IMAGE_TYPES, imageText } from '../core/image.ts';
import type { MadeCall } from '../core/message.ts';
import type { Missing } from '../schema/valueProblems.ts';
import type { AcceptedMessage, Item, ParsedMessage } from './dialect.ts';
import { type PartKind, type PartKinds, partSchema, unionOf } from './parts.ts';

export const toolName = z
  .string()
  .min(1)
  .meta({ description: 'Name of the tool.', refersTo: 'tool' });

export const toolArguments = z
  .union([z.string(), z.record(z.string(), z.unknown())])
  .optional()
  .describe('A mapping, or JSON as text.');

export const callId = z.string().min(1).describe('Id of the call; its result has the same id.');

export const answeredCall = z
  .string()
  .min(1)
  .describe('Id of the call that this result belongs to.');

export const retrievalContext = z
  .array(z.string())
  .nullish()
  .describe('The texts retrieved for this reply, most relevant first.');

export const agent = z.string().min(1).nullish().meta({
  description: 'Name of the agent that is speaking, if the assistant consists of several agents.',
  refersTo: 'agent',
});

/** A key that other tools write and that Turnlight ignores. Completion never offers it. */
export const unread = z
  .unknown()
  .optional()
  .meta({ description: 'Ignored; written by the tool that made the message.', readOnly: true });

export function ignored(...keys: readonly string[]): Readonly<Record<string, typeof unread>> {
  return Object.fromEntries(keys.map((key) => [key, unread]));
}

export const noted = unread.meta({
  description: 'Not judged; the judge sees only a note.',
  readOnly: true,
});

export const notedList = z
  .array(z.unknown())
  .nullish()
  .meta({ description: 'Not judged; the judge sees only a note.', readOnly: true });

export const status = z.string().nullish().meta({
  description:
    '`completed`, `incomplete`, or `in_progress`. Unless it is `completed`, the judge sees a note about it.',
  readOnly: true,
});

const text = z.string().describe('The text.');

/** A part `{type, text}`, with the keys that endpoints add. */
export function textKind(type: string, extras: Readonly<Record<string, z.ZodType>> = {}): PartKind {
  return {
    schema: partSchema(type, 'A text part.', { text, ...extras }),
    read: (part) => ({ text: stringOf(part.text), notes: notesOfText(part) }),
  };
}

export const outputText = textKind('output_text', { annotations: notedList, logprobs: notedList });
export const inputText = textKind('input_text');

export const refusalKind: PartKind = {
  schema: partSchema('refusal', "The model's refusal.", {
    refusal: z.string().describe('The text of the refusal.'),
  }),
  of: ['assistant'],
  read: (part) => ({ text: stringOf(part.refusal) }),
};

/**
 * A part that can't be shown to a judge, such as an image: a placeholder marks its position.
 *
 * @param keys the part's keys, of which only `filename` is read
 */
export function hiddenKind(type: string, what: string, keys: readonly string[]): PartKind {
  const description = `Not shown; a note marks the position of the ${what}.`;
  return {
    schema: partSchema(type, description, ignored(...keys)),
    read: (part) => ({ text: hiddenText(what, part) }),
  };
}

/**
 * An image that contains its data. In tool results, and if the data isn't there, it is like `hiddenKind`.
 *
 * @param dataOf returns a data URL, or base64 if `isUrl` is false
 */
export function imageKind(
  type: string,
  keys: readonly string[],
  dataOf: (part: Item) => unknown,
  isUrl = true,
): PartKind {
  const hidden = hiddenKind(type, 'image', keys);
  const description =
    'An image. It is shown if it contains the data of a PNG, JPEG, GIF, or WebP file; otherwise, a note marks its position.';
  return {
    schema: partSchema(type, description, ignored(...keys)),
    read(part, message, at) {
      const given = stringOf(dataOf(part) ?? '');
      const data = isUrl ? base64In(given) : given;
      const isSaid = message.role === 'user' || message.role === 'assistant';
      if (data === '' || !isSaid) return hidden.read(part, message, at);
      return { text: imageText(undefined), image: { data, at, isForeign: true } };
    },
  };
}

/** The data of a data URL; empty if it isn't one of a supported image. */
function base64In(url: string): string {
  const start = IMAGE_TYPES.map((type) => `data:${type};base64,`).find((one) =>
    url.startsWith(one),
  );
  return start === undefined ? '' : url.slice(start.length);
}

const IMAGE_PLACES = ['path', 'data', 'url'] as const;

const imagePart = partSchema('image', 'An image.', {
  path: z.string().min(1).optional().meta({
    description: 'Path of a PNG, JPEG, GIF, or WebP file.',
    file: 'image',
    template: 'none',
  }),
  data: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "The file's bytes as base64.", template: 'none' }),
  url: z.string().min(1).optional().meta({
    description: 'Address of the image, which is never fetched: only `alt` is shown.',
    template: 'none',
  }),
  alt: z
    .string()
    .regex(/^(?!\s*$)[^\r\n]+$/, 'Expected one line of text')
    .optional()
    .meta({
      description:
        'What the image shows, in words, for text checks and for models that take no images.',
    }),
}).refine(
  (part) => IMAGE_PLACES.filter((key) => part[key] !== undefined).length === 1,
  'An image needs exactly one of `path`, `data`, and `url`',
);

/** Parts of Turnlight's own messages. */
export const ownParts: PartKinds = {
  text: textKind('text'),
  image: {
    schema: imagePart,
    of: ['user', 'assistant'],
    read(part, _message, at) {
      const { path, data, url, alt } = imagePart.parse(part);
      const text = imageText(alt);
      if (url !== undefined) return { text, notes: ['An image at a URL, which is not fetched.'] };
      return { text, image: { at, path, data, alt } };
    },
  },
};

/** Like `hiddenKind`, for a part whose kind is in its key `by`: `image/png` or `image`. */
export function mediaKind(type: string, by: string, keys: readonly string[]): PartKind {
  const kind = hiddenKind(type, 'file', [by, ...keys]);
  return { ...kind, read: (part) => ({ text: hiddenText(mediaOf(part[by]), part) }) };
}

/** The kind of a media type: `image`, `audio`, `video`, or `file`. */
export function mediaOf(given: unknown): string {
  const [what = ''] = typeof given === 'string' ? given.split('/') : [];
  return ['image', 'audio', 'video'].includes(what) ? what : 'file';
}

function hiddenText(what: string, part: Item): string {
  const name = part.filename ?? part.title ?? valueAt(part, ['file', 'filename']);
  return notShown(what, typeof name === 'string' ? name : undefined);
}

/** `[image: not shown]`, `[file "a.pdf": not shown]`. */
export function notShown(what: string, name: string | undefined): string {
  return `[${what}${name === undefined ? '' : ` ${JSON.stringify(name)}`}: not shown]`;
}

export const hiddenInChat: PartKinds = {
  image_url: imageKind('image_url', ['image_url'], (part) => valueAt(part, ['image_url', 'url'])),
  input_audio: hiddenKind('input_audio', 'audio', ['input_audio']),
  file: hiddenKind('file', 'file', ['file']),
};

export const chatParts: PartKinds = {
  ...ownParts,
  refusal: refusalKind,
  ...hiddenInChat,
};

export const hiddenInputs: PartKinds = {
  input_image: imageKind(
    'input_image',
    ['image_url', 'file_id', 'detail'],
    ({ image_url: url }) => url,
  ),
  input_file: hiddenKind('input_file', 'file', [
    'file_id',
    'filename',
    'file_data',
    'file_url',
    'detail',
  ]),
  input_audio: hiddenKind('input_audio', 'audio', ['input_audio']),
};

function partText(part: unknown, kinds: PartKinds): string {
  const item = mappingOf(part);
  const kind = kinds[stringOf(item.type)];
  const read = kind?.read(item, item, []);
  return read && 'text' in read && read.text !== undefined ? read.text : stringOf(item.text);
}

/** One note for all annotations, because text with links can have dozens of them. */
export function annotationNotes(count: number): string[] {
  if (count === 0) return [];
  return [count === 1 ? 'A text annotation.' : `${count} text annotations.`];
}

function notesOfText({ annotations, citations, logprobs }: Item): string[] {
  const cites = [annotations, citations].flatMap((list) => (Array.isArray(list) ? list : []));
  const notes = annotationNotes(cites.length);
  if (Array.isArray(logprobs) && logprobs.length > 0) notes.push('Token probabilities.');
  return notes;
}

export const nestedCall = z.strictObject({
  id: callId,
  type: z.literal('function').optional().describe('Always `function`.'),
  function: z
    .strictObject({ name: toolName, arguments: toolArguments })
    .describe('The tool and its arguments.'),
  agent: agent.describe("Name of the agent that calls it. Default: the message's agent."),
});

export const NO_NAME = ['call-without-name', 'This tool call has no tool name.'] as const;

export function missingOfCall(id: string, name = 'name'): Missing {
  return {
    [name]: NO_NAME,
    [id]: ['call-without-id', `This tool call has no id. Add \`${id.split('.').at(-1)}\`.`],
  };
}

export function missingOfResult(id: string): Missing {
  const message = `A tool result needs \`${id}\`, the id of the call it answers.`;
  return { [id]: ['result-without-id', message] };
}

interface CallKeys {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** The other keys of a call, with those for its arguments first. */
  readonly keys: z.ZodRawShape;
  readonly argumentsOf?: (part: Item) => unknown;
}

export function callKind(type: string, call: CallKeys): PartKind {
  const { id, name = 'name', description = 'A tool call.', keys } = call;
  const { argumentsOf = (part) => parseArguments(part.arguments) } = call;
  return {
    schema: partSchema(type, description, { [id]: callId, [name]: toolName, ...keys }),
    of: ['assistant'],
    missing: missingOfCall(id, name),
    read: (part) => ({
      call: { id: stringOf(part[id]), name: stringOf(part[name]), arguments: argumentsOf(part) },
      notes: unfinished(part, `The call of "${part[name]}"`),
    }),
  };
}

interface ResultKeys extends Pick<PartKind, 'of'> {
  readonly id: string;
  readonly description?: string;
  readonly keys: z.ZodRawShape;
  readonly contentOf: (part: Item) => string;
  readonly notesOf: (part: Item) => string[];
}

export function resultKind(
  type: string,
  { id, of, description = 'The result of a tool call.', keys, contentOf, notesOf }: ResultKeys,
): PartKind {
  return {
    schema: partSchema(type, description, { [id]: answeredCall, ...keys }),
    ...(of && { of }),
    missing: missingOfResult(id),
    read: (part, _message, at) => ({
      result: { callId: stringOf(part[id]), content: contentOf(part), idAt: [...at, id] },
      notes: notesOf(part),
    }),
  };
}

export function textOrParts(kinds: PartKinds) {
  return z.union([z.string(), z.array(unionOf(Object.values(kinds)))]);
}

export const MISSING_OF_CALLS: Missing = {
  ...missingOfCall('tool_calls.id', 'tool_calls.function.name'),
  'tool_calls.function': NO_NAME,
};

export const toolCalls = z.array(nestedCall).nullish().describe("Tool calls, in OpenAI's format.");

/** Reads valid calls in OpenAI's format. Arguments that are JSON text are parsed; other text is kept as it is. */
export function readToolCalls(calls: unknown): MadeCall[] {
  return (toolCalls.parse(calls) ?? []).map(({ id, function: called, agent }) => ({
    id,
    name: called.name,
    arguments: parseArguments(called.arguments),
    ...agentNamed(agent),
  }));
}

/** The assistant's text and calls; empty if there are neither. */
export function assistantMessage(
  content: string,
  toolCalls: MadeCall[],
  { agent, context }: { agent?: unknown; context?: string[] | null | undefined },
): ParsedMessage[] {
  if (content.trim() === '' && toolCalls.length === 0) return [];
  const calls = toolCalls.length > 0 && { toolCalls };
  const rest = { ...(context && { retrievalContext: context }), ...agentNamed(agent) };
  return [{ message: { role: 'assistant', content, ...calls, ...rest } }];
}

export function agentNamed(given: unknown): { readonly agent?: string } {
  return typeof given === 'string' && given.trim() !== '' ? { agent: given } : {};
}

export function withAgent({ messages, notes }: AcceptedMessage, agent: unknown): AcceptedMessage {
  const named = messages.map((held) =>
    held.message.role === 'assistant'
      ? { ...held, message: { ...held.message, ...agentNamed(agent) } }
      : held,
  );
  return { messages: named, notes };
}

/** Parses JSON text; other text is kept as it is. A missing value or empty text means no arguments. */
export function parseArguments(given: unknown): unknown {
  if (given === null || given === undefined || given === '') return {};
  return typeof given === 'string' ? jsonOrText(given) : given;
}

export function validItems<Schema extends z.ZodType>(
  item: Schema,
  list: unknown,
): z.infer<Schema>[] {
  return z.array(item).safeParse(list).data ?? [];
}

/**
 * A tool's result as text. Text is kept as it is, a missing value becomes empty text, and anything else becomes JSON.
 */
export function resultText(given: unknown): string {
  if (given === null || given === undefined) return '';
  return typeof given === 'string' ? given : JSON.stringify(given);
}

/** Bedrock's list of text blocks, `[{text: "…"}]`, as its text; other values unchanged. */
export function unwrapTexts(given: unknown): unknown {
  if (!Array.isArray(given) || given.length === 0) return given;
  const texts = given.map((one) =>
    isMapping(one) && Object.keys(one).length === 1 ? one.text : one,
  );
  return texts.every((text) => typeof text === 'string') && given.every(isMapping)
    ? texts.join('\n\n')
    : given;
}

/** Like `resultText`, but a list of parts becomes the text of its parts. */
export function returnedText(given: unknown, kinds: PartKinds): string {
  if (!Array.isArray(given)) return resultText(given);
  return given.map((part: unknown) => partText(part, kinds)).join('\n\n');
}

export function failedResult(id: unknown): string {
  return `The result of the call "${id}" says that the tool failed.`;
}

export function notedKind(
  type: string,
  description: string,
  keys: readonly string[],
  note: (part: Item) => string,
): PartKind {
  return {
    schema: partSchema(type, description, ignored(...keys)),
    read: (part) => ({ notes: [note(part)] }),
  };
}

export function reasoningKind(
  type: string,
  keys: readonly string[],
  extras: z.ZodRawShape = {},
): PartKind {
  const description = "The model's thoughts. Never judged; the judge sees only a note.";
  return {
    schema: partSchema(type, description, { ...extras, ...ignored(...keys) }),
    read: () => ({ notes: ["The model's reasoning."] }),
  };
}

export function unfinished({ status }: Item, what: string): string[] {
  if (status === undefined || status === null || status === 'completed') return [];
  return [`${what} has the status "${status}".`];
}

export const mcpServer = z.string().optional().describe('The MCP server that offers the tool.');

const id = z
  .string()
  .nullish()
  .meta({ description: 'Id of the request; ignored.', readOnly: true });

const answer = z.boolean().optional().describe('Whether the tool may be called.');

export const APPROVAL_REQUEST =
  'The request to approve a tool call. The judge sees a note about it.';
export const APPROVAL_REPLY =
  'The reply to a tool approval request. The judge sees a note about it.';

/** Approvals of MCP calls. The user never sees them, so they become notes. */
export const approvals: PartKinds = {
  mcp_approval_request: {
    schema: partSchema('mcp_approval_request', APPROVAL_REQUEST, {
      id,
      tool_call_id: id,
      name: z.string().optional().meta({ description: 'The tool.', refersTo: 'tool' }),
      arguments: toolArguments,
      server_label: mcpServer,
    }),
    of: ['assistant'],
    read: ({ name }) => ({
      notes: [
        `A request to approve a call of ${name === undefined ? 'an MCP tool' : `"${name}"`}.`,
      ],
    }),
  },
  mcp_approval_response: {
    schema: partSchema('mcp_approval_response', APPROVAL_REPLY, {
      id,
      tool_call_id: id,
      approval_request_id: id,
      approve: answer,
      approved: answer,
      mcp_approval_response: answer,
      reason: z.string().nullish().describe('The reason for the decision.'),
    }),
    of: ['tool', 'assistant'],
    read: (part) => ({ notes: [answerOf(part)] }),
  },
};

function answerOf({ approve, approved, mcp_approval_response: answered, reason }: Item): string {
  const allowed = approve ?? approved ?? answered;
  const why = typeof reason === 'string' && reason !== '' ? `: ${reason}` : '.';
  if (allowed === undefined) return 'An answer to a request for approval.';
  return `A call of an MCP tool was ${allowed === true ? 'approved' : 'refused'}${why}`;
}
