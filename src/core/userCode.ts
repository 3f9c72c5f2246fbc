import * as z from 'zod';
import { VARIABLE_NAME } from './environment.ts';

export const programKeys = {
  env: z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: 'Extra environment variables.' }),
  pass_env: z
    .array(z.string().regex(VARIABLE_NAME, 'Expected the name of an environment variable'))
    .optional()
    .meta({
      description:
        'Environment variables with model API keys to pass to the program. All other variables are inherited.',
    }),
};

/** A user's function or program. Each call receives JSON and returns JSON. */
export interface UserCode {
  readonly runs: /** `path` is absolute. */
    | { readonly kind: 'function'; readonly path: string; readonly exported: string }
    /** Run without a shell; its working folder is the absolute path `folder`. */
    | { readonly kind: 'program'; readonly command: readonly string[]; readonly folder: string };
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly pass_env?: readonly string[] | undefined;
  /** In milliseconds; defaults to the target's timeout. */
  readonly timeout?: number | undefined;
}
