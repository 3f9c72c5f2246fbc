import type OpenAI from 'openai';
import type { Message, Tool } from '../../core/message.ts';
import type { ModelRequest } from '../model.ts';
import { withSchema } from '../withSchema.ts';
import type { Abilities } from './abilities.ts';
import type { EndpointParams } from './params.ts';

export type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;

/** The request as Chat Completions, using only what the endpoint takes. */
export function requestBody(
  request: ModelRequest,
  params: EndpointParams,
  abilities: Abilities,
  count = 1,
): Body {
  const { answer } = request;
  const temperature = request.temperature ?? params.temperature;
  const limit = request.maxTokens ?? params.max_tokens;
  const strict = abilities.format === 'json_schema';
  const messages = answer && !strict ? withSchema(request.messages, answer) : request.messages;
  return {
    model: params.model,
    messages: messages.map(messageParam),
    ...(request.tools && request.tools.length > 0 && { tools: request.tools.map(toolParam) }),
    ...(answer && abilities.format !== 'text' && { response_format: format(answer, strict) }),
    ...(temperature !== undefined && abilities.temperature && { temperature }),
    ...(limit !== undefined && { [abilities.limit]: limit }),
    ...(request.logprobs && abilities.logprobs && { logprobs: true, top_logprobs: 20 }),
    ...(request.seed !== undefined && abilities.seed && { seed: request.seed }),
    ...(count > 1 && abilities.several && { n: count }),
  };
}

type AnswerShape = NonNullable<ModelRequest['answer']>;

function format(answer: AnswerShape, strict: boolean): NonNullable<Body['response_format']> {
  if (!strict) return { type: 'json_object' };
  return {
    type: 'json_schema',
    json_schema: { name: answer.name, strict: true, schema: { ...answer.schema } },
  };
}

function messageParam(message: Message): OpenAI.ChatCompletionMessageParam {
  switch (message.role) {
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
    case 'assistant': {
      if (!message.toolCalls || message.toolCalls.length === 0) {
        return { role: 'assistant', content: message.content };
      }
      return {
        role: 'assistant',
        content: message.content === '' ? null : message.content,
        tool_calls: message.toolCalls.map((call) => ({
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: argumentsText(call.arguments) },
        })),
      };
    }
    default:
      return { role: message.role, content: message.content };
  }
}

/** Arguments that were no JSON are kept as the text they came as. */
export function argumentsText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? {});
}

function toolParam(tool: Tool): OpenAI.ChatCompletionFunctionTool {
  return {
    type: 'function',
    function: {
      name: tool.name,
      ...(tool.description !== undefined && { description: tool.description }),
      ...(tool.parameters && { parameters: tool.parameters }),
    },
  };
}
