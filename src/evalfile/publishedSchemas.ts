import * as z from 'zod';
import { MEANING_KEYS } from '../core/meaning.ts';
import { messagesFileSchema } from './messagesSchema.ts';
import { evalFileSchema } from './schema.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The eval file as JSON Schema (draft 7), for editors that know YAML but not Turnlight. */
export function evalJsonSchema(): JsonSchema {
  return { title: 'Turnlight eval file', ...draft7(evalFileSchema) };
}

export function messagesJsonSchema(): JsonSchema {
  return { title: 'Messages of a conversation', ...draft7(messagesFileSchema) };
}

function draft7(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    reused: 'ref',
    // What fields name is for our own features.
    override: ({ jsonSchema }) => {
      for (const key of MEANING_KEYS) delete jsonSchema[key];
    },
  });
}
