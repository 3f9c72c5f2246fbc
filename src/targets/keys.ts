import * as z from 'zod';

/** Keys that every target may have. */
export const timeoutKey = z.int().min(1).optional().meta({
  description: 'Milliseconds that one reply may take; the setting or `--timeout` unless given.',
});
