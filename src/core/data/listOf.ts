import * as z from 'zod';

class MismatchError extends Error {
  override readonly name = 'Unfit';
}

/**
 * A `z.array` for `tryParse` that stops at the first invalid item: reporting a million invalid items would take minutes
 * and gigabytes of memory.
 */
export function listOf<Item extends z.ZodType>(item: Item): z.ZodArray<z.ZodCatch<Item>> {
  return z.array(
    item.catch(() => {
      throw new MismatchError('An item does not match the schema.');
    }),
  );
}

/** Parses a value; undefined if it doesn't match the schema. */
export function tryParse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> | undefined {
  try {
    return schema.safeParse(value).data;
  } catch (error) {
    if (error instanceof MismatchError) return undefined;
    throw error;
  }
}
