import * as z from 'zod';
import { messagesFileSchema } from './messagesSchema.ts';
import { evalFileSchema } from './schema.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The eval file as JSON Schema (draft 7), for editors that know YAML but not Turnlight. */
export function evalJsonSchema(): JsonSchema {
  return { title: 'Turnlight eval file', ...draft7(evalFileSchema) };
}

/** A file of messages as JSON Schema (draft 7). */
export function messagesJsonSchema(): JsonSchema {
  return { title: 'Messages of a conversation', ...draft7(messagesFileSchema) };
}

function draft7(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { target: 'draft-7', io: 'input', reused: 'ref' });
}
