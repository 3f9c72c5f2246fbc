import * as z from 'zod';
import { REPORTS } from '../core/conversation.ts';
import { messageSchema, toolSchema } from '../core/message.ts';
import { usageSchema } from '../core/verdict.ts';
import { digestOf } from '../node/hashes.ts';
import { answerFormats, type Embeddings, type ModelReply, type ModelRequest } from './model.ts';

/**
 * An exchange with a model or target, as one line of a recording. The request is canonical: it contains only data that
 * determines the answer, and no provider, address, key, or headers.
 */
const modelExchangeRequestSchema = z.strictObject({
  model: z.string(),
  messages: z.array(messageSchema),
  tools: z.array(toolSchema).optional(),
  answer: z
    .strictObject({ name: z.string(), schema: z.record(z.string(), z.unknown()) })
    .optional(),
  temperature: z.number().optional(),
  max_tokens: z.number().optional(),
  logprobs: z.literal(true).optional(),
  seed: z.int().optional(),
  top_p: z.number().optional(),
  reasoning_effort: z.string().optional(),
  extra_body: z.record(z.string(), z.unknown()).optional(),
  conversation: z.string().optional(),
});

const embeddingExchangeRequestSchema = z.strictObject({
  model: z.string(),
  texts: z.array(z.string()),
});

const targetExchangeRequestSchema = z.strictObject({
  target: z.string(),
  /** The eval file, relative to the root of its records; absent in recordings made by older versions. */
  suite: z.string().optional(),
  case: z.string(),
  context: z.record(z.string(), z.unknown()),
  messages: z.array(messageSchema),
  /** From 1. */
  repetition: z.int().min(1),
  /** The target's digest; absent in recordings made by older versions. */
  digest: z.string().optional(),
});

export const modelReplySchema = z.strictObject({
  text: z.string(),
  toolCalls: z.array(z.strictObject({ id: z.string(), name: z.string(), arguments: z.unknown() })),
  finish: z.enum(['stop', 'tool-calls', 'length', 'content-filter', 'error', 'other']),
  refusal: z.string().exactOptional(),
  version: z.string().exactOptional(),
  answerFormat: z.enum(answerFormats).exactOptional(),
  usage: usageSchema,
  tokens: z
    .array(
      z.strictObject({
        text: z.string(),
        top: z.array(z.strictObject({ text: z.string(), logprob: z.number() })),
      }),
    )
    .exactOptional(),
});

export const embeddedSchema = z.strictObject({
  vectors: z.array(z.array(z.number())),
  usage: usageSchema,
});

export const targetReplySchema = z.strictObject({
  messages: z.array(messageSchema),
  sent: z.array(messageSchema).exactOptional(),
  tools: z.array(toolSchema).exactOptional(),
  notes: z.array(z.string()).exactOptional(),
  usage: usageSchema.exactOptional(),
  firstToken: z.number().exactOptional(),
  reports: z.array(z.enum(REPORTS)).exactOptional(),
  traceFault: z.string().exactOptional(),
});

const failureSchema = z.strictObject({ reason: z.string(), message: z.string() });

/** SHA-256 hash of the canonical request, in hexadecimal. */
const keySchema = z.string().regex(/^[0-9a-f]{64}$/, 'A key is 64 hexadecimal digits.');

function exchangeSchemaOf<Kind extends string, Request extends z.ZodType, Reply extends z.ZodType>(
  kind: Kind,
  request: Request,
  reply: Reply,
) {
  return z.strictObject({
    kind: z.literal(kind),
    key: keySchema,
    request,
    reply: reply.optional(),
    error: failureSchema.optional(),
  });
}

export const exchangeSchema = z
  .discriminatedUnion('kind', [
    exchangeSchemaOf('model', modelExchangeRequestSchema, modelReplySchema),
    exchangeSchemaOf('embedding', embeddingExchangeRequestSchema, embeddedSchema),
    exchangeSchemaOf('target', targetExchangeRequestSchema, targetReplySchema),
  ])
  .refine((line) => (line.reply === undefined) !== (line.error === undefined), {
    error: 'An exchange contains either a reply or an error.',
  });

export type Exchange = z.infer<typeof exchangeSchema>;
export type ExchangeRequest = Exchange['request'];

export type NewExchange =
  | ({ readonly kind: 'model'; readonly request: ModelExchangeRequest } & ModelResult)
  | ({ readonly kind: 'embedding'; readonly request: EmbeddingExchangeRequest } & EmbeddingResult)
  | ({ readonly kind: 'target'; readonly request: TargetExchangeRequest } & TargetResult);

export type ModelExchangeRequest = z.infer<typeof modelExchangeRequestSchema>;
export type EmbeddingExchangeRequest = z.infer<typeof embeddingExchangeRequestSchema>;
export type TargetExchangeRequest = z.infer<typeof targetExchangeRequestSchema>;

/** A reply, or the error that the model or target raised. */
type Result<Reply> = { readonly reply: Reply } | { readonly error: z.infer<typeof failureSchema> };
export type ModelResult = Result<ModelReply>;
export type EmbeddingResult = Result<Embeddings>;
export type TargetResult = Result<z.infer<typeof targetReplySchema>>;

/**
 * @param id `provider:model`; only the model's name is recorded, so that a recording can be replayed for the same
 * model behind another endpoint
 */
export function modelExchangeRequest(id: string, request: ModelRequest): ModelExchangeRequest {
  const { messages, tools, answer, temperature, maxTokens, logprobs, seed, conversation } = request;
  const { topP, reasoningEffort, extraBody } = request;
  return {
    model: modelName(id),
    messages: [...messages],
    ...(tools && tools.length > 0 && { tools: [...tools] }),
    ...(answer && { answer: { name: answer.name, schema: { ...answer.schema } } }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(logprobs && { logprobs }),
    ...(seed !== undefined && { seed }),
    ...(topP !== undefined && { top_p: topP }),
    ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
    ...(extraBody && { extra_body: { ...extraBody } }),
    ...(conversation !== undefined && { conversation }),
  };
}

/** @param id see `modelExchangeRequest` */
export function embeddingExchangeRequest(
  id: string,
  texts: readonly string[],
): EmbeddingExchangeRequest {
  return { model: modelName(id), texts: [...texts] };
}

function modelName(id: string): string {
  return id.slice(id.indexOf(':') + 1);
}

export function exchangeKey(request: ExchangeRequest): string {
  return digestOf(request);
}

/** An exchange and its line number in the recording, from 1. */
export interface RecordedExchange {
  readonly line: number;
  readonly exchange: Exchange;
}
