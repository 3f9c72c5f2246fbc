import type OpenAI from 'openai';
import * as z from 'zod';
import type { Message, Tool } from '../../core/message.ts';
import { NO_USAGE } from '../../core/verdict.ts';
import { appendSchema, type Embeddings, type ModelReply, type ModelRequest } from '../model.ts';
import type { Price } from '../price.ts';
import type { Abilities } from './abilities.ts';
import {
  type Api,
  argumentsText,
  describeInvalidReply,
  finishOf,
  parseArguments,
  tokenSchema,
  toReplyToken,
  usageOf,
} from './api.ts';
import { type ImageUrls, urlsOf } from './imageUrls.ts';
import type { EndpointParams } from './params.ts';
import { chatCollector } from './streaming.ts';

export const chatApi: Api = {
  prepare(request, params, abilities, count, images) {
    const body = requestBody(request, params, abilities, count, images);
    const { onText } = request;
    const streams = onText !== undefined && abilities.stream && count === 1;
    return {
      ...(streams && { collect: () => chatCollector(onText) }),
      used: {
        format: body.response_format !== undefined,
        temperature: body.temperature !== undefined,
        limit: (body.max_tokens ?? body.max_completion_tokens) !== undefined,
        logprobs: body.logprobs === true,
        several: (body.n ?? 1) > 1,
        seed: body.seed !== undefined,
        stream: streams,
      },
      // `collect` assembles the stream before the client sees it.
      send: async (client, options) => {
        const streamed = { ...body, stream: true, stream_options: { include_usage: true } };
        return client.post('/chat/completions', { body: streams ? streamed : body, ...options });
      },
    };
  },
  read(body, price, onUnknown) {
    const parsed = completionSchema.safeParse(body);
    if (!parsed.success) return { malformed: describeInvalidReply(body, parsed.error, EXPECTED) };
    const { choices, usage, model } = parsed.data;
    return choices.map(({ message, finish_reason, logprobs }, index) => {
      const toolCalls = (message.tool_calls ?? []).map((call, index) => ({
        id: call.id || `call_${index + 1}`,
        name: call.function.name,
        arguments: parseArguments(call.function.arguments ?? ''),
      }));
      const tokens = logprobs?.content ?? [];
      const finish = finish_reason ? FINISHES[finish_reason] : undefined;
      if (finish_reason && !finish) onUnknown(finish_reason);
      return {
        text: message.content ?? '',
        toolCalls,
        finish: finishOf(finish ?? 'other', toolCalls.length > 0),
        ...(message.refusal && { refusal: message.refusal }),
        ...(model && { version: model }),
        usage: index === 0 ? usageOf(usage, price) : NO_USAGE,
        ...(tokens.length > 0 && { tokens: tokens.map(toReplyToken) }),
      };
    });
  },
};

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;
type Effort = OpenAI.ReasoningEffort;

function requestBody(
  request: ModelRequest,
  params: EndpointParams,
  abilities: Abilities,
  count: number,
  images: ImageUrls,
): Body {
  const { answer } = request;
  const temperature = request.temperature ?? params.temperature;
  const limit = request.maxTokens ?? params.max_tokens;
  const strict = abilities.format === 'json_schema';
  const messages = answer && !strict ? appendSchema(request.messages, answer) : request.messages;
  const { topP, reasoningEffort } = request;
  return {
    ...request.extraBody,
    model: params.model,
    messages: messages.map((one) => toMessageParam(one, images)),
    ...(request.tools && request.tools.length > 0 && { tools: request.tools.map(toToolParam) }),
    ...(answer &&
      abilities.format !== 'text' && { response_format: responseFormat(answer, strict) }),
    ...(temperature !== undefined && abilities.temperature && { temperature }),
    ...(limit !== undefined && { [abilities.limit]: limit }),
    ...(request.logprobs && abilities.logprobs && { logprobs: true, top_logprobs: 20 }),
    ...(request.seed !== undefined && abilities.seed && { seed: request.seed }),
    ...(topP !== undefined && { top_p: topP }),
    ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort as Effort }),
    ...(count > 1 && abilities.several && { n: count }),
  };
}

function responseFormat({ name, schema }: NonNullable<ModelRequest['answer']>, strict: boolean) {
  if (!strict) return { type: 'json_object' as const };
  const format = { name, strict: true, schema: { ...schema } };
  return { type: 'json_schema' as const, json_schema: format };
}

function toMessageParam(message: Message, images: ImageUrls): OpenAI.ChatCompletionMessageParam {
  switch (message.role) {
    case 'user': {
      const { role, content } = message;
      const urls = urlsOf(message, images);
      if (urls.length === 0) return { role, content };
      const shown = urls.map((url) => ({ type: 'image_url' as const, image_url: { url } }));
      return { role, content: [{ type: 'text', text: content }, ...shown] };
    }
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
    case 'assistant': {
      const { role, content, toolCalls = [] } = message;
      if (toolCalls.length === 0) return { role, content };
      const calls = toolCalls.map(({ id, name, arguments: given }) => ({
        id,
        type: 'function' as const,
        function: { name, arguments: argumentsText(given) },
      }));
      return { role, content: content === '' ? null : content, tool_calls: calls };
    }
    default:
      return { role: message.role, content: message.content };
  }
}

function toToolParam({ name, description, parameters }: Tool): OpenAI.ChatCompletionFunctionTool {
  const given = {
    ...(description !== undefined && { description }),
    ...(parameters && { parameters }),
  };
  return { type: 'function', function: { name, ...given } };
}

const EXPECTED = 'a chat completion';

const contentPartsSchema = z
  .array(z.object({ type: z.string(), text: z.string().nullish() }))
  .transform((parts) => parts.map(({ text }) => text ?? '').join(''));

/** The parts of a chat completion that we use; endpoints add some fields and omit others. */
const completionSchema = z.object({
  model: z.string().nullish(),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z.union([z.string(), contentPartsSchema]).nullish(),
          refusal: z.string().nullish(),
          tool_calls: z
            .array(
              z.object({
                id: z.string().nullish(),
                function: z.object({ name: z.string(), arguments: z.string().nullish() }),
              }),
            )
            .nullish(),
        }),
        logprobs: z
          .object({ content: z.array(tokenSchema).nullish() })
          .nullish()
          .catch(undefined),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: z.number().nullish(),
      completion_tokens: z.number().nullish(),
      prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
    })
    .transform(
      ({ prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details }) => {
        return { input, output, cached: details?.cached_tokens };
      },
    )
    .nullish(),
});

const FINISHES: Readonly<Record<string, ModelReply['finish']>> = {
  stop: 'stop',
  tool_calls: 'tool-calls',
  length: 'length',
  content_filter: 'content-filter',
  error: 'error',
};

const embeddingsSchema = z.object({
  data: z.array(z.object({ index: z.number(), embedding: z.array(z.number()).min(1) })),
  usage: z.object({ prompt_tokens: z.number().nullish() }).nullish(),
});

/** The vectors in the order of their inputs, or what is wrong with the body. */
export function readEmbeddings(
  body: unknown,
  count: number,
  price: Price | undefined,
): Embeddings | { readonly malformed: string } {
  const parsed = embeddingsSchema.safeParse(body);
  if (!parsed.success) return { malformed: describeInvalidReply(body, parsed.error, EXPECTED) };
  const { data, usage } = parsed.data;
  const vectors = [...data].sort((a, b) => a.index - b.index).map(({ embedding }) => embedding);
  if (vectors.length !== count) {
    return { malformed: `it contains ${vectors.length} embeddings for ${count} texts` };
  }
  return { vectors, usage: usageOf(usage && { input: usage.prompt_tokens }, price) };
}
