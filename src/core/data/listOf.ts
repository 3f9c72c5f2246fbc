import * as z from 'zod';

class MismatchError extends Error {
  override readonly name = 'Unfit';
}

/**
 * As `z.array` in what `tryParse` reads, but the first item that does not fit ends the check: to tell
 * what is wrong with each of a million takes minutes and gigabytes.
 */
export function listOf<Item extends z.ZodType>(item: Item): z.ZodArray<z.ZodCatch<Item>> {
  return z.array(
    item.catch(() => {
      throw new MismatchError('An item does not fit.');
    }),
  );
}

/** What the schema makes of a value; undefined where it does not fit. */
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
