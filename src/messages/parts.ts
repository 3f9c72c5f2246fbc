import * as z from 'zod';
import { closest } from '../core/closest.ts';
import { isMapping, type Path } from '../core/data.ts';
import type { Message, ToolCall } from '../core/message.ts';
import { problemUnder } from '../schema/placedProblems.ts';
import {
  type Missing,
  strangerProblem,
  type ValueProblem,
  valueProblems,
} from '../schema/valueProblems.ts';
import type { HeldMessage, Item, ReadMessage } from './dialect.ts';

export type Speaker = 'system' | 'developer' | 'user' | 'assistant' | 'tool';

/** What a part of a message comes to. Nothing but notes: it has nothing to show. */
export interface Part {
  readonly text?: string;
  readonly call?: ToolCall;
  /** The result of a call; `idAt` says where in the message the call is named. */
  readonly result?: { readonly callId: string; readonly content: string; readonly idAt: Path };
  readonly notes?: readonly string[];
}

/** A type of part, or of an item that stands by itself. */
export interface PartKind {
  /** Closed, with a literal `type`. */
  readonly schema: z.ZodObject;
  /** Whose messages can hold it; everybody's unless given. */
  readonly of?: readonly Speaker[];
  readonly missing?: Missing;
  /**
   * @param part as the schema wants it
   * @param at where it stands in the message
   */
  read(part: Item, message: Item, at: Path): Part | ValueProblem;
}

export type PartKinds = Readonly<Record<string, PartKind>>;

/** What the content of such a speaker's message may be: a text or a list of the parts he can have. */
export function contentOf(role: Speaker, kinds: PartKinds): z.ZodType {
  return z
    .union([z.string(), z.null(), partsOf(role, kinds)])
    .meta({ description: 'A text or a list of parts.' });
}

export function partsOf(role: Speaker, kinds: PartKinds): z.ZodType {
  const own = Object.values(kinds).filter((kind) => !kind.of || kind.of.includes(role));
  return z
    .array(unionOf(own.map(({ schema }) => schema)))
    .meta({ description: 'A list of parts.' });
}

/** What other tools write into a message and nothing here looks at; it is never offered. */
export const unread = z
  .unknown()
  .optional()
  .meta({ description: 'Written by the tool that made the message; not read.', readOnly: true });

function unionOf(schemas: readonly z.ZodObject[]): z.ZodType {
  const [only] = schemas;
  if (schemas.length === 1 && only) return only;
  return z.discriminatedUnion('type', schemas as unknown as [z.ZodObject, z.ZodObject]);
}

/** True where the content is a list in which such a part stands. */
export function hasPart(item: Item, test: (part: Item) => boolean): boolean {
  const { content } = item;
  return Array.isArray(content) && content.some((part) => isMapping(part) && test(part));
}

/** A message's content, a text or a list of parts, as canonical messages in its order. */
export function readContent(item: Item, role: Speaker, kinds: PartKinds): ReadMessage {
  const { content } = item;
  if (content === undefined || content === null) return { messages: [], notes: [] };
  if (typeof content === 'string')
    return { messages: assemble(role, [{ text: content }]), notes: [] };
  if (!Array.isArray(content)) {
    const message = '`content` must be a text or a list of parts.';
    return { problems: [{ path: ['content'], code: 'wrong-type', message }] };
  }
  const read = content.map((part: unknown, index) =>
    readPart(part, { item, role, kinds, at: ['content', index] }),
  );
  return gather(role, read);
}

interface Place {
  readonly item: Item;
  readonly role: Speaker;
  readonly kinds: PartKinds;
  readonly at: Path;
}

type ReadPart = Part | { readonly problems: readonly ValueProblem[] };

/** The parts of one message together. */
export function gather(role: Speaker, parts: readonly ReadPart[]): ReadMessage {
  const problems = parts.flatMap((part) => ('problems' in part ? part.problems : []));
  if (problems.length > 0) return { problems };
  const read = parts.flatMap((part) => ('problems' in part ? [] : [part]));
  return { messages: assemble(role, read), notes: read.flatMap(({ notes }) => notes ?? []) };
}

export function readPart(part: unknown, { item, role, kinds, at }: Place): ReadPart {
  const within = (problem: ValueProblem) => problemUnder(at, problem);
  if (!isMapping(part)) {
    const message = 'A part is a mapping, such as `{type: text, text: …}`.';
    return { problems: [within({ path: [], code: 'wrong-type', message })] };
  }
  const { type } = part;
  const kind = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (!kind) return { problems: [within(unknownPart(part, kinds))] };
  const problems = valueProblems(kind.schema, part, kind);
  if (problems.length > 0) return { problems: problems.map(within) };
  if (kind.of && !kind.of.includes(role)) {
    const message = `A ${role} message cannot hold a part of type "${type}"; that is for ${kind.of.join(' and ')} messages.`;
    return { problems: [within({ path: ['type'], code: 'misplaced-part', message })] };
  }
  const read = kind.read(part, item, at);
  return 'code' in read ? { problems: [read] } : read;
}

function unknownPart(part: Item, kinds: PartKinds): ValueProblem {
  const { type } = part;
  if (type === undefined) {
    const misspelt = Object.keys(part).find((key) => closest(key, ['type']) !== undefined);
    if (misspelt !== undefined) return strangerProblem([], misspelt, ['type']);
  }
  return unknownType(type === undefined ? [] : ['type'], type, Object.keys(kinds));
}

/** @param types that can stand at the path */
export function unknownType(path: Path, type: unknown, types: readonly string[]): ValueProblem {
  const meant = typeof type === 'string' ? closest(type, types) : undefined;
  const shown =
    type === undefined ? 'A part without `type`' : `A part of type ${JSON.stringify(type)}`;
  const hint = meant ? `Did you mean "${meant}"?` : `Parts of type ${types.join(', ')} can.`;
  return {
    path,
    code: 'unknown-part',
    message: `${shown} cannot be read here. ${hint}`,
    ...(meant && { replacement: meant }),
  };
}

/**
 * Texts that follow one another are one message, joined by a blank line; a call belongs to the text
 * before it; what is said after a call is a message after it.
 */
function assemble(role: Speaker, parts: readonly Part[]): HeldMessage[] {
  const held: HeldMessage[] = [];
  let texts: string[] = [];
  let calls: ToolCall[] = [];
  const flush = () => {
    const content = texts.join('\n\n');
    const empty = content.trim() === '' && calls.length === 0;
    if (!empty) held.push({ message: messageOf(role, content, calls) });
    texts = [];
    calls = [];
  };
  for (const { text, call, result } of parts) {
    if (text !== undefined) {
      if (calls.length > 0) flush();
      texts.push(text);
    }
    if (call) calls.push(call);
    if (!result) continue;
    flush();
    const { callId, content, idAt } = result;
    held.push({ message: { role: 'tool', callId, content }, idAt });
  }
  flush();
  return held;
}

function messageOf(role: Speaker, content: string, calls: ToolCall[]): Message {
  // The dialect knows which call the words of a tool are about.
  if (role === 'tool') return { role, callId: '', content };
  if (role !== 'assistant' || calls.length === 0) return { role, content };
  return { role, content, toolCalls: calls };
}

/** What is wrong with a message but for its content, which is read part by part. */
export function problemsAround(item: Item, schema: z.ZodObject, missing: Missing = {}) {
  return valueProblems(schema, { ...item, content: '' }, { missing });
}

/** Refuses a message that says nothing; one of which only notes are left is none of these. */
export function unlessEmpty(item: Item, read: ReadMessage): ReadMessage {
  if ('problems' in read || read.messages.length > 0 || read.notes.length > 0) return read;
  const named = Object.hasOwn(item, 'content');
  return {
    problems: [
      {
        path: named ? ['content'] : [],
        code: named ? 'empty-content' : 'missing-content',
        message: named ? 'The message is empty.' : 'The message has no `content`.',
      },
    ],
  };
}
