import * as z from 'zod';
import { OPENAI_KEY, VARIABLE_NAME } from '../../core/environment.ts';
import { addressSchema } from '../destination.ts';
import { answerFormats } from '../model.ts';
import { priceSchema } from '../price.ts';

/** The key `together`, which all models that can judge accept. */
export const togetherKey = z.boolean().optional().meta({
  description:
    'If true, this judge gets all questions about a conversation in one request, unless the case or the file overrides it.',
  default: false,
});

/** Milliseconds. */
export const DEFAULT_TIMEOUT = 120_000;

export function variableKey(description: string, usual?: string) {
  return z
    .string()
    .regex(VARIABLE_NAME, 'Expected the name of a variable, never the key itself.')
    .optional()
    .meta({ description, ...(usual !== undefined && { default: usual }) });
}

export const KEY_LOOKUP =
  'Name of the variable with the API key, looked up in the secret store and then in the environment.';

export function imagesKey(isDefault: boolean) {
  return z.boolean().optional().meta({
    description:
      'Whether the model takes images. If not, it gets `[image: …]` with the `alt` of each image, and a note.',
    default: isDefault,
  });
}

/** Keys for all models that use OpenAI's API. */
export const endpointKeys = {
  headers: z.record(z.string(), z.string()).optional().meta({
    description:
      'Extra HTTP headers. A value may refer to an environment variable, which keeps secrets out of the file.',
  }),
  temperature: z.number().min(0).max(2).optional().meta({
    description: "Used if the assertion doesn't set one. Omitted for models that don't accept one.",
  }),
  max_tokens: z.int().min(1).optional().describe('Maximum number of tokens in one reply.'),
  timeout: z.int().min(1).optional().meta({
    description:
      'Time limit for one request in milliseconds, retries included. Waiting for a rate limit does not count.',
    default: DEFAULT_TIMEOUT,
  }),
  max_input_tokens: z.int().min(1).optional().meta({
    description:
      'Maximum number of input tokens that the model accepts. Longer conversations are judged in parts.',
  }),
  answer_format: z
    .enum(['auto', ...answerFormats])
    .optional()
    .meta({
      description:
        "How a judge gets the schema of its answer. With `json_schema`, the endpoint enforces the schema. With `json_object` and `text`, the schema is at the end of the request: with `json_object`, the endpoint enforces only valid JSON, and with `text`, it enforces nothing. OpenAI and Azure put a `json_schema` before the messages, so assertions can't share a cached conversation. With these providers, `auto` uses `json_object` if several assertions ask about a conversation that is long enough for a prompt cache. In all other cases, `auto` uses `json_schema`.",
      default: 'auto',
    }),
  images: imagesKey(true),
  together: togetherKey,
  price: priceSchema.optional(),
};

const apis = ['chat-completions', 'responses'] as const;

export const apiKey = z.enum(apis).optional().meta({
  description:
    'API of the endpoint. With `responses`, the model gets its reasoning back between rounds of tool calls.',
  default: apis[0],
});

export const openaiSchema = z.strictObject({
  provider: z.literal('openai').describe('Any OpenAI-compatible endpoint.'),
  model: z.string().min(1).describe("The model's name at the endpoint."),
  base_url: addressSchema.optional().meta({
    description: 'Address of the endpoint, usually ending in `/v1`. Default: OpenAI.',
  }),
  api_key_env: variableKey(KEY_LOOKUP, OPENAI_KEY),
  api: apiKey,
  ...endpointKeys,
});

export interface EndpointParams extends z.infer<z.ZodObject<typeof endpointKeys>> {
  readonly model: string;
  readonly api?: (typeof apis)[number] | undefined;
}

/** OpenAI's organization and project, from OpenAI's own variables. Never sent to another endpoint. */
export interface Account {
  readonly organization: string | null;
  readonly project: string | null;
}
