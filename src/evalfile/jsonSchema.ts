import * as z from 'zod';
import { evalFileSchema } from './schema.ts';

/** The format as JSON Schema (draft 7), for editors that know YAML but not Turnlight. */
export function evalJsonSchema(): Readonly<Record<string, unknown>> {
  return {
    title: 'Turnlight eval file',
    ...z.toJSONSchema(evalFileSchema, { target: 'draft-7', io: 'input', reused: 'ref' }),
  };
}
