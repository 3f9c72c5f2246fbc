import * as z from 'zod';

/**
 * A schema for nonempty text. Creates a new one each time: a shared schema would become a reference in the JSON Schema.
 */
export function text() {
  return z.string().min(1);
}

export function optional<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  meta: Omit<z.core.GlobalMeta, 'description'> = {},
): z.ZodOptional<Schema> {
  return schema.optional().meta({ description, ...meta });
}
