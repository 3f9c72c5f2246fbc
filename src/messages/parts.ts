import * as z from 'zod';
import { isMapping, type Path } from '../core/data/data.ts';
import type { Message, ToolCall } from '../core/message.ts';
import { closest } from '../core/text/closest.ts';
import {
  type Missing,
  problemUnder,
  unknownKeyProblem,
  type ValueProblem,
  valueProblems,
} from '../schema/valueProblems.ts';
import {
  type GivenImage,
  type Item,
  type MessageRole,
  type ParsedMessage,
  type ReadMessage,
  type RefusedMessage,
  readByRole,
  refused,
  type SchemasByRole,
} from './dialect.ts';

/** The contents of a part. If a part has only notes, there is nothing to show. */
export interface Part {
  readonly text?: string;
  /** `text` marks its position. */
  readonly image?: GivenImage;
  readonly call?: ToolCall;
  /** `idAt` is the path at which the message names the call. */
  readonly result?: { readonly callId: string; readonly content: string; readonly idAt: Path };
  readonly notes?: readonly string[];
}

export interface PartKind {
  readonly schema: z.ZodObject;
  /** Roles of messages that can contain this kind of part. Default: all. */
  readonly of?: readonly MessageRole[];
  readonly missing?: Missing;
  /** @param part valid according to the schema @param at the part's path in the message */
  read(part: Item, message: Item, at: Path): Part | ValueProblem;
}

/** Kinds of parts by type. `data-*` matches all types that start with `data-`. */
export type PartKinds = Readonly<Record<string, PartKind>>;

export function partSchema<Keys extends z.ZodRawShape>(
  type: string,
  description: string,
  keys: Keys,
) {
  return z.strictObject({ type: z.literal(type).meta({ description }), ...keys });
}

export function contentOf(role: MessageRole, kinds: PartKinds): z.ZodType {
  return z
    .union([z.string(), z.null(), partsOf(role, kinds)])
    .describe('Text, or a list of parts.');
}

export function partsOf(role: MessageRole, kinds: PartKinds): z.ZodArray {
  const own = Object.values(kinds).filter((kind) => kind.of?.includes(role) ?? true);
  return z.array(unionOf(own)).describe('A list of parts.');
}

export function unionOf(kinds: readonly PartKind[]): z.ZodType {
  return unionBy(
    'type',
    kinds.map(({ schema }) => schema),
  );
}

/** A union of mappings, discriminated by `key` if possible. Requires at least one schema, as zod does. */
export function unionBy(key: string, schemas: readonly z.ZodObject[]): z.ZodType {
  const isDiscriminated = schemas.every(({ shape }) => shape[key] instanceof z.ZodLiteral);
  return isDiscriminated
    ? z.discriminatedUnion(key, schemas as unknown as [z.ZodObject])
    : z.union(schemas as unknown as [z.ZodObject]);
}

export function hasPart(
  item: Item,
  test: (part: Item) => boolean,
  body: 'content' | 'parts' = 'content',
): boolean {
  const list = item[body];
  return Array.isArray(list) && list.some((part) => isMapping(part) && test(part));
}

/** A message's content (text or a list of parts) as canonical messages, in order. */
export function readContent(item: Item, role: MessageRole, kinds: PartKinds): ReadMessage {
  const { content } = item;
  if (content === undefined || content === null) return { messages: [], notes: [] };
  if (typeof content === 'string') {
    return { messages: assemble(role, [{ text: content }]), notes: [] };
  }
  if (!Array.isArray(content)) {
    return refused(['content'], 'wrong-type', '`content` must be text or a list of parts.');
  }
  return readParts(item, role, kinds, 'content');
}

export function readParts(
  item: Item,
  role: MessageRole,
  kinds: PartKinds,
  body: 'content' | 'parts' | 'user',
): ReadMessage {
  const parts = item[body] as readonly unknown[];
  const read = parts.map((part, index) => readPart(part, { item, role, kinds, at: [body, index] }));
  return joinParts(role, read);
}

export function readByContent<Role extends MessageRole>(
  item: Item,
  schemas: SchemasByRole<Role>,
  kinds: PartKinds,
): ReadMessage {
  return readByRole(item, schemas, (role) => refuseEmpty(item, readContent(item, role, kinds)));
}

export function readByParts<Role extends MessageRole>(
  item: Item,
  schemas: SchemasByRole<Role>,
  kinds: PartKinds,
): ReadMessage {
  const read = (role: Role) => refuseEmpty(item, readParts(item, role, kinds, 'parts'), 'parts');
  return readByRole(item, schemas, read, {}, 'parts');
}

interface PartContext {
  readonly item: Item;
  readonly role: MessageRole;
  readonly kinds: PartKinds;
  readonly at: Path;
}

type ReadPart = Part | RefusedMessage;

export function joinParts(role: MessageRole, parts: readonly ReadPart[]): ReadMessage {
  const problems = parts.flatMap((part) => ('problems' in part ? part.problems : []));
  if (problems.length > 0) return { problems };
  const read = parts.flatMap((part) => ('problems' in part ? [] : [part]));
  return { messages: assemble(role, read), notes: read.flatMap(({ notes }) => notes ?? []) };
}

export function readPart(part: unknown, { item, role, kinds, at }: PartContext): ReadPart {
  const within = (problem: ValueProblem) => problemUnder(at, problem);
  if (!isMapping(part)) {
    return refused(at, 'wrong-type', 'A part must be a mapping, such as `{type: text, text: …}`.');
  }
  const { type } = part;
  const kind = typeof type === 'string' ? kindOf(type, kinds) : undefined;
  if (!kind) return { problems: [within(unknownPart(part, kinds))] };
  const problems = valueProblems(kind.schema, part, kind);
  if (problems.length > 0) return { problems: problems.map(within) };
  if (kind.of && !kind.of.includes(role)) {
    const message = `A ${role} message cannot have a part of type "${type}"; only ${kind.of.join(' and ')} messages can.`;
    return refused([...at, 'type'], 'misplaced-part', message);
  }
  const read = kind.read(part, item, at);
  return 'code' in read ? { problems: [read] } : read;
}

function kindOf(type: string, kinds: PartKinds): PartKind | undefined {
  if (Object.hasOwn(kinds, type)) return kinds[type];
  const open = Object.keys(kinds).find(
    (name) => isOpen(name) && type.length >= name.length && type.startsWith(name.slice(0, -1)),
  );
  return open === undefined ? undefined : kinds[open];
}

function isOpen(type: string): boolean {
  return type.endsWith('*');
}

export function typesOf(kinds: PartKinds): string[] {
  return Object.keys(kinds).filter((type) => !isOpen(type));
}

function unknownPart(part: Item, kinds: PartKinds): ValueProblem {
  const { type } = part;
  if (type === undefined) {
    const misspelt = Object.keys(part).find((key) => closest(key, ['type']) !== undefined);
    if (misspelt !== undefined) return unknownKeyProblem([], misspelt, ['type']);
  }
  return unknownType(type === undefined ? [] : ['type'], type, typesOf(kinds));
}

export function unknownType(path: Path, type: unknown, types: readonly string[]): ValueProblem {
  const meant = typeof type === 'string' ? closest(type, types) : undefined;
  const which = type === undefined ? 'without `type`' : `of type ${JSON.stringify(type)}`;
  const hint = meant ? `Did you mean "${meant}"?` : `Supported: ${types.join(', ')}.`;
  return {
    path,
    code: 'unknown-part',
    message: `A part ${which} is not supported here. ${hint}`,
    ...(meant && { replacement: meant }),
  };
}

/**
 * Consecutive text parts form one message, joined by a blank line. A call belongs to the text before it, and text after
 * a call starts a new message.
 */
function assemble(role: MessageRole, parts: readonly Part[]): ParsedMessage[] {
  const messages: ParsedMessage[] = [];
  let texts: string[] = [];
  let images: GivenImage[] = [];
  let calls: ToolCall[] = [];
  const flush = () => {
    const content = texts.join('\n\n');
    const empty = content.trim() === '' && calls.length === 0;
    const given = images.length > 0 && { images };
    if (!empty) messages.push({ message: messageOf(role, content, calls), ...given });
    texts = [];
    images = [];
    calls = [];
  };
  for (const { text, image, call, result } of parts) {
    if (text !== undefined) {
      if (calls.length > 0) flush();
      texts.push(text);
    }
    if (image) images.push(image);
    if (call) calls.push(call);
    if (!result) continue;
    flush();
    const { callId, content, idAt } = result;
    messages.push({ message: { role: 'tool', callId, content }, idAt });
  }
  flush();
  return messages;
}

function messageOf(role: MessageRole, content: string, calls: ToolCall[]): Message {
  // The dialect knows which call the text belongs to.
  if (role === 'tool') return { role, callId: '', content };
  if (role !== 'assistant' || calls.length === 0) return { role, content };
  return { role, content, toolCalls: calls };
}

export function refuseEmpty(
  item: Item,
  read: ReadMessage,
  body: 'content' | 'parts' | 'user' = 'content',
): ReadMessage {
  if ('problems' in read || read.messages.length > 0 || read.notes.length > 0) return read;
  return Object.hasOwn(item, body)
    ? refused([body], 'empty-content', 'The message is empty.')
    : refused([], 'missing-content', `The message has no \`${body}\`.`);
}
