import * as z from 'zod';
import type { Mapping, Path } from '../core/data/data.ts';
import type { Message } from '../core/message.ts';
import { closest } from '../core/text/closest.ts';
import { type Missing, type ValueProblem, valueProblems } from '../schema/valueProblems.ts';

export type Item = Mapping;

/** An image as given in a part of a message. `at` is the part's path in the message. */
export interface GivenImage {
  readonly at: Path;
  /** Relative to the file that contains the message. */
  readonly path?: string | undefined;
  /** Base64; set if there is no path. */
  readonly data?: string | undefined;
  readonly alt?: string | undefined;
  /** Whether the part is in another tool's format. */
  readonly isForeign?: true;
}

export interface ParsedMessage {
  readonly message: Message;
  readonly images?: readonly GivenImage[];
  /** The path in the item at which a tool result names its call. Default: `tool_call_id`. */
  readonly idAt?: Path;
  /** Set for a tool result that doesn't name its call and belongs to the only open call. */
  readonly joinsOpenCall?: boolean;
}

export interface RefusedMessage {
  readonly problems: readonly ValueProblem[];
}

export interface AcceptedMessage {
  /** The messages in order, because a reply can contain text, a call, its result, and text again. */
  readonly messages: readonly ParsedMessage[];
  readonly notes: readonly string[];
}

export type ReadMessage = AcceptedMessage | RefusedMessage;

/** One message format. It consists of a file in this folder and a line in the registry. */
export interface Dialect {
  readonly name: string;
  /** True for Turnlight's own format, in which unknown keys aren't ignored. */
  readonly isOurs?: true;
  /** Whether an item is in this dialect, even if it is broken. */
  matches(item: Item): boolean;
  /** The schema, strict at every depth. Completion and the JSON Schema are based on it. */
  readonly schema: z.ZodType;
  readonly types: readonly string[];
  /** Reads an item without changing it. `index` is the item's position in the list, from 0. */
  read(item: Item, index: number): ReadMessage;
}

export function refused(path: Path, code: string, message: string): RefusedMessage {
  return { problems: [{ path, code, message }] };
}

export type MessageRole = Message['role'];

export const ABOUT: Readonly<Record<MessageRole, string>> = {
  system: 'Instructions.',
  developer: 'Instructions.',
  user: 'What the user says.',
  assistant: "The assistant's text and tool calls.",
  tool: 'The result of a tool call.',
};

export type SchemasByRole<Role extends MessageRole> = Readonly<Record<Role, z.ZodObject>>;

/** A strict schema per role; `keysOf` returns the keys other than `role`. */
export function messageSchemas<Role extends MessageRole>(
  roles: readonly Role[],
  keysOf: (role: Role) => Readonly<Record<string, z.ZodType>>,
): SchemasByRole<Role> {
  const schemas = roles.map((role) => [
    role,
    z.strictObject({ role: z.literal(role).meta({ description: ABOUT[role] }), ...keysOf(role) }),
  ]);
  return Object.fromEntries(schemas);
}

/** Checks everything in a message except its content, which `read` reads part by part. */
export function readByRole<Role extends MessageRole>(
  item: Item,
  schemas: SchemasByRole<Role>,
  read: (role: Role) => ReadMessage,
  missing: Missing = {},
  body: 'content' | 'parts' = 'content',
): ReadMessage {
  const role = roleIn(item, schemas);
  if (typeof role === 'object') return { problems: [role] };
  const unread = body === 'content' ? { content: '' } : { parts: [] };
  const problems = valueProblems(schemas[role], { ...item, ...unread }, { missing });
  return problems.length > 0 ? { problems } : read(role);
}

export function roleIn<Role extends MessageRole>(
  { role }: Item,
  schemas: SchemasByRole<Role>,
): Role | ValueProblem {
  const roles = Object.keys(schemas) as Role[];
  const known = roles.find((one) => one === role);
  if (known) return known;
  const meant = typeof role === 'string' ? closest(role, roles) : undefined;
  const hint = meant ? ` Did you mean "${meant}"?` : '';
  return {
    path: ['role'],
    code: 'unknown-role',
    message: `${JSON.stringify(role) ?? 'nothing'} is not a role. Roles: ${roles.join(', ')}.${hint}`,
    ...(meant && { replacement: meant }),
  };
}
