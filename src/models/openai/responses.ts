import type OpenAI from 'openai';
import type { Message, Tool } from '../../core/message.ts';
import type { ModelRequest, Thoughts } from '../model.ts';
import { withSchema } from '../withSchema.ts';
import type { Abilities } from './abilities.ts';
import type { Api } from './api.ts';
import type { EndpointParams } from './params.ts';
import { argumentsText } from './requestBody.ts';
import { readResponse } from './responsesReply.ts';
import { responseCollector } from './streamed.ts';

type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Item = OpenAI.Responses.ResponseInputItem;
type Include = NonNullable<Body['include']>[number];

const THOUGHTS: Include = 'reasoning.encrypted_content';
const LOGPROBS: Include = 'message.output_text.logprobs';

/**
 * OpenAI's Responses. Nothing is stored at the endpoint: each request holds the whole conversation,
 * and while tools are called also what the model thought, encrypted.
 */
export const responsesApi: Api = {
  prepare(request, params, abilities) {
    const body = bodyOf(request, params, abilities);
    const { hear } = request;
    const streams = hear !== undefined && abilities.stream;
    return {
      ...(streams && { collect: () => responseCollector(hear) }),
      used: {
        format: body.text?.format !== undefined,
        temperature: body.temperature !== undefined,
        limit: false,
        logprobs: body.include?.includes(LOGPROBS) ?? false,
        several: false,
        seed: false,
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
  read: readResponse,
};

function bodyOf(request: ModelRequest, params: EndpointParams, abilities: Abilities): Body {
  const { answer, tools = [], thoughts } = request;
  const temperature = request.temperature ?? params.temperature;
  const limit = request.maxTokens ?? params.max_tokens;
  const strict = abilities.format === 'json_schema';
  const messages = answer && !strict ? withSchema(request.messages, answer) : request.messages;
  const logprobs = request.logprobs === true && abilities.logprobs;
  const include = [
    ...(logprobs ? [LOGPROBS] : []),
    ...(tools.length > 0 && abilities.thoughts ? [THOUGHTS] : []),
  ];
  return {
    model: params.model,
    input: messages.flatMap((message) => itemsOf(message, thoughts?.get(message))),
    store: false,
    ...(tools.length > 0 && { tools: tools.map(toolParam) }),
    ...(answer && abilities.format !== 'text' && { text: { format: formatOf(answer, strict) } }),
    ...(temperature !== undefined && abilities.temperature && { temperature }),
    ...(limit !== undefined && { max_output_tokens: limit }),
    ...(logprobs && { top_logprobs: 20 }),
    ...(include.length > 0 && { include }),
  };
}

type AnswerShape = NonNullable<ModelRequest['answer']>;

function formatOf({ name, schema }: AnswerShape, strict: boolean) {
  if (!strict) return { type: 'json_object' as const };
  return { type: 'json_schema' as const, name, strict: true, schema: { ...schema } };
}

function itemsOf(message: Message, thoughts: Thoughts = []): Item[] {
  switch (message.role) {
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.callId, output: message.content }];
    case 'assistant':
      return [
        // As the endpoint gave them.
        ...(thoughts as readonly Item[]),
        ...(message.content === '' ? [] : [said('assistant', message.content)]),
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
      return [said(message.role, message.content)];
  }
}

function said(role: 'user' | 'assistant' | 'system' | 'developer', content: string): Item {
  return { role, content };
}

function toolParam({ name, description, parameters }: Tool): OpenAI.Responses.FunctionTool {
  return {
    type: 'function',
    name,
    description: description ?? null,
    parameters: parameters ?? null,
    // Without it the endpoint would rewrite the tool's schema.
    strict: false,
  };
}
