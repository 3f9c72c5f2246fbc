import * as z from 'zod';
import type { ModelRequest } from '../../models/model.ts';

/** Keys in a request's body that `extra_body` must not set. */
const OWN_BODY_KEYS: readonly string[] = [
  'model',
  'messages',
  'input',
  'tools',
  'stream',
  'stream_options',
  'n',
];

export const samplingKeys = {
  reasoning_effort: z.string().min(1).optional().meta({
    description:
      "Reasoning effort of a reasoning model, such as `low`, `medium`, or `high`. Default: the endpoint's default.",
  }),
  top_p: z.number().min(0).max(1).optional().meta({
    description:
      "Nucleus sampling: the model chooses only from the most likely tokens with this total probability. Default: the endpoint's default.",
  }),
  seed: z.int().optional().meta({
    description:
      'Seed that makes replies reproducible if the endpoint supports it. It increases by one with each repetition of a case. Not sent with `api: responses`.',
  }),
  extra_body: z
    .record(z.string(), z.unknown())
    .superRefine((body, { addIssue }) => {
      for (const key of OWN_BODY_KEYS.filter((one) => Object.hasOwn(body, one))) {
        const message = `Turnlight sets \`${key}\` itself. Remove it from \`extra_body\`.`;
        addIssue({ code: 'custom', message, path: [key] });
      }
    })
    .optional()
    .meta({
      description:
        "Additional keys of the request's body, for parameters that have no key of their own. They don't replace keys that Turnlight sends.",
    }),
};

/** @param repetition from 1 */
export function samplingOf(
  { reasoning_effort: reasoningEffort, top_p: topP, seed, extra_body: extraBody }: Sampling,
  repetition: number,
): Pick<ModelRequest, 'reasoningEffort' | 'topP' | 'seed' | 'extraBody'> {
  return {
    ...(reasoningEffort !== undefined && { reasoningEffort }),
    ...(topP !== undefined && { topP }),
    ...(seed !== undefined && { seed: seed + repetition - 1 }),
    ...(extraBody && { extraBody }),
  };
}

type Sampling = z.infer<z.ZodObject<typeof samplingKeys>>;
