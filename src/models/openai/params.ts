import * as z from 'zod';
import { PRICE_UNIT, priceSchema } from '../price.ts';

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
  price: priceSchema.optional().meta({ description: `${PRICE_UNIT} Makes the cost known.` }),
});

export type OpenAiParams = z.infer<typeof openaiSchema>;

/** The organization and project that OpenAI's own variables name; never sent to another endpoint. */
export interface Account {
  readonly organization: string | null;
  readonly project: string | null;
}
