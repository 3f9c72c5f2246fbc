import * as z from 'zod';
import type { Mapping, Path } from '../core/data/data.ts';
import type { Message } from '../core/message.ts';
import { closest } from '../core/text/closest.ts';
import { type Missing, type ValueProblem, valueProblems } from '../schema/valueProblems.ts';

export type Item = Mapping;

export interface ParsedMessage {
  readonly message: Message;
  /** Where in the item a tool result names its call. Default: `tool_call_id`. */
  readonly idAt?: Path;
  /** A tool result that names no call and belongs to the only open call. */
  readonly joinsOpenCall?: boolean;
}

export interface Refused {
  readonly problems: readonly ValueProblem[];
}

export type ReadMessage =
  | {
      /** In order, because a reply can contain text, a call, its result, and text again. */
      readonly messages: readonly ParsedMessage[];
      readonly notes: readonly string[];
    }
  | Refused;

/** One message format: a file in this folder and its line in the registry. */
export interface Dialect {
  readonly name: string;
  /** True for our own format, in which no unknown key is ignored. */
  readonly isOurs?: true;
  /** Whether an item is in this dialect, even if it is broken. */
  matches(item: Item): boolean;
  /** Strict at every depth; the basis for completion and JSON Schema. */
  readonly schema: z.ZodType;
  readonly types: readonly string[];
  /** Never changes the item. `index` is its position in the list, from 0. */
  read(item: Item, index: number): ReadMessage;
}

export function refused(path: Path, code: string, message: string): Refused {
  return { problems: [{ path, code, message }] };
}

export type MessageRole = Message['role'];

export const ABOUT: Readonly<Record<MessageRole, string>> = {
  system: 'Instructions.',
  developer: 'Instructions.',
  user: 'What the user says.',
  assistant: 'What the assistant says and calls.',
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

/** Checks everything in a message but its content, which `read` reads part by part. */
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
