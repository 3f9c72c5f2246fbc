import * as z from 'zod';
import { VARIABLE_NAME } from '../core/environment.ts';

/** Keys that every target may have. */
export const commonKeys = {
  system: z.string().min(1).optional().meta({
    description:
      'The system prompt. It comes first in the messages to the target, in the recorded conversation, and in what judges read.',
  }),
  timeout: z.int().min(1).optional().meta({
    description:
      'Time limit for one reply in milliseconds. Default: the setting `turnlight.timeout`, or `--timeout`.',
  }),
};

/** Keys of targets that run a program of the user's. */
export const programKeys = {
  env: z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: 'Extra environment variables.' }),
  pass_env: z
    .array(z.string().regex(VARIABLE_NAME, 'Expected the name of a variable'))
    .optional()
    .meta({
      description:
        "Environment variables to pass on although they hold models' API keys. All others are inherited.",
    }),
};
