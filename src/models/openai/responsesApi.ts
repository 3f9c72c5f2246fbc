import type OpenAI from 'openai';
import * as z from 'zod';
import type { Message, Tool } from '../../core/message.ts';
import { appendSchema, type ModelReply, type ModelRequest, type Thoughts } from '../model.ts';
import type { Abilities } from './abilities.ts';
import {
  type Api,
  argumentsText,
  describeInvalidReply,
  finishOf,
  parseArguments,
  reportedError,
  tokenSchema,
  toReplyToken,
  usageOf,
} from './api.ts';
import { type ImageUrls, urlsOf } from './imageUrls.ts';
import type { EndpointParams } from './params.ts';
import { responseCollector } from './streaming.ts';

type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Effort = OpenAI.ReasoningEffort;
type Item = OpenAI.Responses.ResponseInputItem;
type Include = NonNullable<Body['include']>[number];

const THOUGHTS: Include = 'reasoning.encrypted_content';
const LOGPROBS: Include = 'message.output_text.logprobs';

/**
 * OpenAI's Responses API. The endpoint stores nothing, so each request contains the whole conversation and, during tool
 * calls, encrypted reasoning.
 */
export const responsesApi: Api = {
  prepare(request, params, abilities, _count, images) {
    const body = bodyOf(request, params, abilities, images);
    const { onText } = request;
    const streams = onText !== undefined && abilities.stream;
    return {
      ...(streams && { collect: () => responseCollector(onText) }),
      used: {
        format: body.text?.format !== undefined,
        temperature: body.temperature !== undefined,
        logprobs: body.include?.includes(LOGPROBS) ?? false,
        thoughts: body.include?.includes(THOUGHTS) ?? false,
        stream: streams,
      },
      send: async (client, options) =>
        client.post('/responses', {
          body: { ...body, ...(streams && { stream: true }) },
          ...options,
        }),
    };
  },
  read(body, price, onUnknown) {
    const parsed = responseSchema.safeParse(body);
    if (!parsed.success)
      return { malformed: describeInvalidReply(body, parsed.error, 'a response') };
    const { output, usage, model } = parsed.data;
    const failure = reportedError(body);
    if (failure !== undefined) return { malformed: `it reports an error: ${failure}` };
    const parts = output.flatMap(({ type, content }) =>
      type === 'message' ? (content ?? []) : [],
    );
    const refusal = parts.map((part) => part.refusal ?? '').join('');
    const tokens = parts.flatMap(({ logprobs }) => logprobs ?? []);
    const thoughts = output.filter(({ type }) => type === 'reasoning');
    const toolCalls = callsIn(output);
    return [
      {
        text: parts.map(({ text }) => text ?? '').join(''),
        toolCalls,
        finish: finishOf(statedFinish(parsed.data, onUnknown), toolCalls.length > 0),
        ...(refusal !== '' && { refusal }),
        ...(model && { version: model }),
        usage: usageOf(usage, price),
        ...(thoughts.length > 0 && { thoughts }),
        ...(tokens.length > 0 && { tokens: tokens.map(toReplyToken) }),
      },
    ];
  },
};

function bodyOf(
  request: ModelRequest,
  params: EndpointParams,
  abilities: Abilities,
  images: ImageUrls,
): Body {
  const { answer, tools = [], thoughts } = request;
  const temperature = request.temperature ?? params.temperature;
  const limit = request.maxTokens ?? params.max_tokens;
  const strict = abilities.format === 'json_schema';
  const messages = answer && !strict ? appendSchema(request.messages, answer) : request.messages;
  const { topP, reasoningEffort } = request;
  const logprobs = request.logprobs === true && abilities.logprobs;
  const include = [
    ...(logprobs ? [LOGPROBS] : []),
    ...(tools.length > 0 && abilities.thoughts ? [THOUGHTS] : []),
  ];
  return {
    ...request.extraBody,
    model: params.model,
    input: messages.flatMap((message) => itemsOf(message, images, thoughts?.get(message))),
    store: false,
    ...(tools.length > 0 && { tools: tools.map(toToolParam) }),
    ...(answer && abilities.format !== 'text' && { text: { format: formatOf(answer, strict) } }),
    ...(temperature !== undefined && abilities.temperature && { temperature }),
    ...(limit !== undefined && { max_output_tokens: limit }),
    ...(topP !== undefined && { top_p: topP }),
    ...(reasoningEffort !== undefined && { reasoning: { effort: reasoningEffort as Effort } }),
    ...(logprobs && { top_logprobs: 20 }),
    ...(include.length > 0 && { include }),
  };
}

function formatOf({ name, schema }: NonNullable<ModelRequest['answer']>, strict: boolean) {
  if (!strict) return { type: 'json_object' as const };
  return { type: 'json_schema' as const, name, strict: true, schema: { ...schema } };
}

function itemsOf(message: Message, images: ImageUrls, thoughts: Thoughts = []): Item[] {
  switch (message.role) {
    case 'user': {
      const { role, content } = message;
      const urls = urlsOf(message, images);
      if (urls.length === 0) return [{ role, content }];
      const shown = urls.map((url) => ({
        type: 'input_image' as const,
        image_url: url,
        detail: 'auto' as const,
      }));
      return [{ role, content: [{ type: 'input_text', text: content }, ...shown] }];
    }
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.callId, output: message.content }];
    case 'assistant':
      return [
        // The items exactly as received from the endpoint.
        ...(thoughts as readonly Item[]),
        ...(message.content === '' ? [] : [{ role: message.role, content: message.content }]),
        ...(message.toolCalls ?? []).map(
          (call): Item => ({
            type: 'function_call',
            call_id: call.id,
            name: call.name,
            arguments: argumentsText(call.arguments),
          }),
        ),
      ];
    default:
      return [{ role: message.role, content: message.content }];
  }
}

function toToolParam({ name, description, parameters }: Tool): OpenAI.Responses.FunctionTool {
  return {
    type: 'function',
    name,
    description: description ?? null,
    parameters: parameters ?? null,
    // Otherwise, the endpoint would rewrite the tool's schema.
    strict: false,
  };
}

const itemSchema = z.looseObject({
  type: z.string(),
  content: z
    .array(
      z.object({
        type: z.string(),
        text: z.string().nullish(),
        refusal: z.string().nullish(),
        logprobs: z.array(tokenSchema).nullish().catch(undefined),
      }),
    )
    .nullish(),
  call_id: z.string().nullish(),
  name: z.string().nullish(),
  arguments: z.string().nullish(),
});

/** The parts of a response that we use; endpoints add some fields and omit others. */
const responseSchema = z.object({
  model: z.string().nullish(),
  status: z.string().nullish(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  output: z.array(itemSchema),
  usage: z
    .object({
      input_tokens: z.number().nullish(),
      output_tokens: z.number().nullish(),
      input_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
    })
    .transform(({ input_tokens: input, output_tokens: output, input_tokens_details: details }) => {
      return { input, output, cached: details?.cached_tokens };
    })
    .nullish(),
});

type Response = z.infer<typeof responseSchema>;

const FINISHES: Readonly<Record<string, ModelReply['finish']>> = {
  max_output_tokens: 'length',
  content_filter: 'content-filter',
};

function callsIn(output: Response['output']): ModelReply['toolCalls'] {
  return output
    .filter(({ type }) => type === 'function_call')
    .map(({ call_id: id, name, arguments: given }, index) => ({
      id: id || `call_${index + 1}`,
      name: name ?? '',
      arguments: parseArguments(given ?? ''),
    }));
}

function statedFinish(
  { status, incomplete_details: details }: Response,
  onUnknown: (reason: string) => void,
): ModelReply['finish'] {
  if (status === 'failed' || status === 'cancelled') return 'error';
  if (status !== 'incomplete') return 'stop';
  const reason = details?.reason ?? 'incomplete';
  const finish = FINISHES[reason];
  if (!finish) onUnknown(reason);
  return finish ?? 'other';
}
