import * as z from 'zod';
import { ModelError, type ModelHost, type ModelProvider } from './model.ts';

const PRICE = 'Per million tokens, in any one currency.';

/** Price per million tokens. */
export const priceSchema = z.strictObject({
  input: z
    .number()
    .min(0)
    .meta({ description: `${PRICE} What the model reads.` }),
  cached_input: z
    .number()
    .min(0)
    .optional()
    .meta({
      description: `${PRICE} What the provider's prompt cache held; \`input\` unless given.`,
    }),
  output: z
    .number()
    .min(0)
    .meta({ description: `${PRICE} What the model writes.` }),
});

/** From the strictest; where an endpoint does not take one, the next is tried. */
export const answerFormats = ['json_schema', 'json_object', 'text'] as const;

export type AnswerFormat = (typeof answerFormats)[number];

export const openaiSchema = z.strictObject({
  provider: z.literal('openai').meta({ description: 'Any OpenAI-compatible endpoint.' }),
  model: z.string().min(1).meta({ description: "The model's name at the endpoint." }),
  base_url: z
    .url({ protocol: /^https?$/, error: 'Give an address that begins with http:// or https://.' })
    .optional()
    .meta({
      description: 'Address of the endpoint, usually ending in `/v1`. Without it: OpenAI.',
    }),
  api_key_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'Give the name of a variable, never the key itself.')
    .optional()
    .meta({
      description:
        "Name of the key's variable, looked up in the secret store and then in the environment. `OPENAI_API_KEY` unless given.",
    }),
  headers: z.record(z.string(), z.string()).optional().meta({
    description:
      'More HTTP headers. A value may refer to an environment variable, which keeps secrets out of the file.',
  }),
  temperature: z.number().min(0).max(2).optional().meta({
    description: 'Used where the request names none. Left out where the model takes none.',
  }),
  max_tokens: z.int().min(1).optional().meta({ description: 'Most tokens of one reply.' }),
  timeout: z.int().min(1).optional().meta({
    description: 'Milliseconds that one request may take, retries included. 120000 unless given.',
  }),
  max_input_tokens: z.int().min(1).optional().meta({
    description: 'Most tokens that the model reads. Longer conversations are judged in chunks.',
  }),
  answer_format: z.enum(answerFormats).optional().meta({
    description:
      "How a judge is told the form of its answer: `json_schema` (unless given) makes the endpoint enforce it; with `json_object` and `text` it stands at the end of the request, and the endpoint enforces JSON or nothing. Endpoints whose prompt cache reads the schema before the messages, as OpenAI's does, serve a conversation to all its assertions only with one of these two.",
  }),
  price: priceSchema.optional().meta({ description: `${PRICE} Makes the cost known.` }),
});

export type OpenAiParams = z.infer<typeof openaiSchema>;
export type Price = z.infer<typeof priceSchema>;

/** What a model's keys say of its price, whatever the provider. */
export function priceOf(params: Readonly<Record<string, unknown>>): Price | undefined {
  const price = priceSchema.safeParse(params.price);
  return price.success ? price.data : undefined;
}

const OPENAI = 'https://api.openai.com/v1';
const DEFAULT_TIMEOUT = 120_000;

/** Local servers want no key, but the client wants one to send. */
const NO_KEY = 'no-key';

export const openaiProvider: ModelProvider = {
  provider: 'openai',
  summary: 'OpenAI, or any endpoint that speaks its Chat Completions (`base_url`)',
  schema: openaiSchema,
  async create(spec, host) {
    const params = openaiSchema.parse(spec.params);
    const keyName = params.api_key_env ?? 'OPENAI_API_KEY';
    const key = (await host.secret(keyName))?.trim();
    const baseUrl = params.base_url ?? host.env('OPENAI_BASE_URL') ?? OPENAI;
    if (!key && baseUrl === OPENAI) throw missingKey(spec.id, keyName);
    // The client takes 4 ms to load, and a run from a recording never needs it.
    const { OpenAiModel } = await import('./openai/openaiModel.ts');
    return new OpenAiModel({
      id: spec.id,
      params,
      baseUrl,
      isOpenAi: baseUrl === OPENAI,
      keyName,
      key: key || NO_KEY,
      secrets: [...(key ? [key] : []), ...Object.values(params.headers ?? {})],
      timeout: params.timeout ?? DEFAULT_TIMEOUT,
      account: params.base_url === undefined ? accountOf(host) : NO_ACCOUNT,
      log: host.log,
    });
  },
};

/** The organization and project that OpenAI's own variables name; never sent to another endpoint. */
export interface Account {
  readonly organization: string | null;
  readonly project: string | null;
}

const NO_ACCOUNT: Account = { organization: null, project: null };

function accountOf(host: ModelHost): Account {
  return {
    organization: host.env('OPENAI_ORG_ID') ?? null,
    project: host.env('OPENAI_PROJECT_ID') ?? null,
  };
}

function missingKey(id: string, keyName: string): ModelError {
  return new ModelError(
    'missing-key',
    `The model "${id}" needs a key and none is set. Set the environment variable ${keyName}, or run the command "Turnlight: Set API Key" in the editor.`,
  );
}
