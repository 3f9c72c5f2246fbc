import * as z from 'zod';

/** Keys that every target may have. */
export const commonKeys = {
  system: z.string().min(1).optional().meta({
    description:
      'A system text. It begins the messages that the target is given, the recorded conversation and what judges read.',
  }),
  timeout: z.int().min(1).optional().meta({
    description: 'Milliseconds that one reply may take; the setting or `--timeout` unless given.',
  }),
};
