import * as z from 'zod';

/** A text that isn't empty. New each time, because JSON Schema would get a reference to a shared one. */
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
