import * as z from 'zod';

/** Most types have one schema for all of their questions. */
const made = new WeakMap<z.ZodType, Readonly<Record<string, unknown>>>();

/** The strict JSON Schema of an answer; ranges are left to the program, which checks them anyway. */
export function answerSchema(answer: z.ZodType): Readonly<Record<string, unknown>> {
  const known = made.get(answer);
  if (known) return known;
  const { $schema: _, ...schema } = z.toJSONSchema(answer, { target: 'draft-7' });
  made.set(answer, schema);
  return schema;
}
