import * as z from 'zod';
import type { Message } from '../core/message.ts';
import { closest } from '../core/text/closest.ts';
import { type Missing, type ValueProblem, valueProblems } from '../schema/valueProblems.ts';
import type { Body, Item, ReadMessage } from './dialect.ts';

export type Speaker = Message['role'];

const ABOUT: Readonly<Record<Speaker, string>> = {
  system: 'Instructions.',
  developer: 'Instructions.',
  user: 'What the user says.',
  assistant: 'What the assistant says and calls.',
  tool: 'The result of a tool call.',
};

export type SchemasByRole<Role extends Speaker> = Readonly<Record<Role, z.ZodObject>>;

/** A closed schema for each role; `keysOf` gives its keys besides `role`. */
export function messageSchemas<Role extends Speaker>(
  roles: readonly Role[],
  keysOf: (role: Role) => Readonly<Record<string, z.ZodType>>,
): SchemasByRole<Role> {
  const schemas = roles.map((role) => [
    role,
    z.strictObject({ role: z.literal(role).meta({ description: ABOUT[role] }), ...keysOf(role) }),
  ]);
  return Object.fromEntries(schemas);
}

/** Checks all of a message but its content, which `read` reads part by part. */
export function readByRole<Role extends Speaker>(
  item: Item,
  schemas: SchemasByRole<Role>,
  read: (role: Role) => ReadMessage,
  missing: Missing = {},
  { body }: Body = {},
): ReadMessage {
  const role = roleIn(item, schemas);
  if (typeof role === 'object') return { problems: [role] };
  const unread = body === undefined ? { content: '' } : { [body]: [] };
  const problems = valueProblems(schemas[role], { ...item, ...unread }, { missing });
  return problems.length > 0 ? { problems } : read(role);
}

/** The role of a message, or what is wrong with it. */
export function roleIn<Role extends Speaker>(
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
