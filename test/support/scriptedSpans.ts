import { randomBytes } from 'node:crypto';

/** An agent's actions in a turn. */
export interface ScriptedTurn {
  readonly user: string;
  readonly agent: string;
  readonly calls: readonly ScriptedCall[];
  readonly text: string;
  /** Milliseconds from the start of the turn to the first token of the last answer. */
  readonly firstToken: number;
}

export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly result: string;
  /** Duration in milliseconds. */
  readonly took: number;
}

/** Usage of each model request. A turn has two requests. */
export const REQUEST_USAGE = { input: 30, output: 5 };

type Attributes = Readonly<Record<string, unknown>>;

interface Described {
  readonly name: string;
  readonly attributes: Attributes;
  readonly events?: readonly { readonly name: string; readonly attributes: Attributes }[];
}

/** How a convention describes an agent's spans. */
interface Convention {
  agent(turn: ScriptedTurn): Described;
  /** @param answer whether the model answers with calls or, in the last request, with text */
  request(turn: ScriptedTurn, answer: 'calls' | 'text'): Described;
  tool(call: ScriptedCall): Described;
}

const json = (value: unknown) => JSON.stringify(value);

const openaiCall = ({ id, name, arguments: given }: ScriptedCall) => ({
  id,
  type: 'function',
  function: { name, arguments: json(given) },
});

const usage = {
  'gen_ai.usage.input_tokens': REQUEST_USAGE.input,
  'gen_ai.usage.output_tokens': REQUEST_USAGE.output,
};

const genAiAgent = ({ agent }: ScriptedTurn): Described => ({
  name: `invoke_agent ${agent}`,
  attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': agent },
});

const genAiTool = ({ id, name, arguments: given, result }: ScriptedCall): Described => ({
  name: `execute_tool ${name}`,
  attributes: {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gen_ai.tool.call.id': id,
    'gen_ai.tool.call.arguments': json(given),
    'gen_ai.tool.call.result': result,
  },
});

const CHAT = { 'gen_ai.operation.name': 'chat', ...usage };

export const conventions: Readonly<Record<string, Convention>> = {
  'GenAI, messages in attributes': {
    agent: genAiAgent,
    request: ({ user, calls, text, firstToken }, answer) => ({
      name: 'chat gpt-5-mini',
      attributes: {
        ...CHAT,
        'gen_ai.response.finish_reasons': [answer === 'calls' ? 'tool_call' : 'stop'],
        'gen_ai.input.messages': json([{ role: 'user', parts: [{ type: 'text', content: user }] }]),
        'gen_ai.output.messages': json([
          {
            role: 'assistant',
            parts:
              answer === 'text'
                ? [{ type: 'text', content: text }]
                : calls.map(({ id, name, arguments: given }) => ({
                    type: 'tool_call',
                    id,
                    name,
                    arguments: given,
                  })),
          },
        ]),
        'gen_ai.response.time_to_first_chunk': firstToken / 1_000,
      },
    }),
    tool: genAiTool,
  },
  'GenAI, messages in events': {
    agent: genAiAgent,
    request: ({ user, calls, text, firstToken }, answer) => ({
      name: 'chat gpt-5-mini',
      attributes: { ...CHAT, 'gen_ai.server.time_to_first_token': firstToken / 1_000 },
      events: [
        { name: 'gen_ai.user.message', attributes: { content: user } },
        {
          name: 'gen_ai.choice',
          attributes: {
            message: json(
              answer === 'text'
                ? { role: 'assistant', content: text }
                : { role: 'assistant', tool_calls: calls.map(openaiCall) },
            ),
          },
        },
      ],
    }),
    tool: genAiTool,
  },
  'GenAI, prompts in events': {
    agent: genAiAgent,
    request: ({ user, calls, text, firstToken }, answer) => ({
      name: 'chat gpt-5-mini',
      attributes: {
        'gen_ai.usage.prompt_tokens': REQUEST_USAGE.input,
        'gen_ai.usage.completion_tokens': REQUEST_USAGE.output,
        'gen_ai.server.time_to_first_token': firstToken / 1_000,
      },
      events: [
        {
          name: 'gen_ai.content.prompt',
          attributes: { 'gen_ai.prompt': json([{ role: 'user', content: user }]) },
        },
        {
          name: 'gen_ai.content.completion',
          attributes: {
            'gen_ai.completion': json([
              answer === 'text'
                ? { role: 'assistant', content: text }
                : { role: 'assistant', content: null, tool_calls: calls.map(openaiCall) },
            ]),
          },
        },
      ],
    }),
    tool: genAiTool,
  },
  OpenInference: {
    agent: ({ agent }) => ({
      name: agent,
      attributes: { 'openinference.span.kind': 'AGENT', 'agent.name': agent },
    }),
    request: ({ user, calls, text }, answer) => ({
      name: 'ChatCompletion',
      attributes: {
        'openinference.span.kind': 'LLM',
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.content': user,
        'llm.output_messages.0.message.role': 'assistant',
        ...(answer === 'text'
          ? { 'llm.output_messages.0.message.content': text }
          : Object.fromEntries(
              calls.flatMap(({ id, name, arguments: given }, index) => {
                const at = `llm.output_messages.0.message.tool_calls.${index}.tool_call`;
                return [
                  [`${at}.id`, id],
                  [`${at}.function.name`, name],
                  [`${at}.function.arguments`, json(given)],
                ];
              }),
            )),
        'llm.token_count.prompt': REQUEST_USAGE.input,
        'llm.token_count.completion': REQUEST_USAGE.output,
      },
      events: [{ name: 'First Token Stream Event', attributes: {} }],
    }),
    tool: ({ name, arguments: given, result }) => ({
      name,
      attributes: {
        'openinference.span.kind': 'TOOL',
        'tool.name': name,
        'input.value': json(given),
        'output.value': result,
      },
    }),
  },
  OpenLLMetry: {
    agent: ({ agent }) => ({
      name: `${agent}.agent`,
      attributes: { 'traceloop.span.kind': 'agent', 'traceloop.entity.name': agent },
    }),
    request: ({ user, calls, text, firstToken }, answer) => ({
      name: 'openai.chat',
      attributes: {
        'gen_ai.prompt.0.role': 'user',
        'gen_ai.prompt.0.content': user,
        'gen_ai.completion.0.role': 'assistant',
        ...(answer === 'text'
          ? { 'gen_ai.completion.0.content': text }
          : Object.fromEntries(
              calls.flatMap(({ id, name, arguments: given }, index) => {
                const at = `gen_ai.completion.0.tool_calls.${index}`;
                return [
                  [`${at}.id`, id],
                  [`${at}.name`, name],
                  [`${at}.arguments`, json(given)],
                ];
              }),
            )),
        'llm.usage.prompt_tokens': REQUEST_USAGE.input,
        'llm.usage.completion_tokens': REQUEST_USAGE.output,
        'gen_ai.server.time_to_first_token': firstToken / 1_000,
      },
    }),
    tool: ({ name, arguments: given, result }) => ({
      name: `${name}.tool`,
      attributes: {
        'traceloop.span.kind': 'tool',
        'traceloop.entity.name': name,
        'traceloop.entity.input': json({ args: [], kwargs: given }),
        'traceloop.entity.output': result,
      },
    }),
  },
  'AI SDK': {
    agent: ({ agent }) => ({
      name: 'ai.streamText',
      attributes: { 'ai.operationId': 'ai.streamText', 'ai.telemetry.functionId': agent },
    }),
    request: ({ user, calls, text, firstToken, agent }, answer) => ({
      name: 'ai.streamText.doStream',
      attributes: {
        'ai.operationId': 'ai.streamText.doStream',
        'ai.telemetry.functionId': agent,
        'ai.prompt.messages': json([{ role: 'user', content: [{ type: 'text', text: user }] }]),
        ...(answer === 'text'
          ? { 'ai.response.text': text }
          : {
              'ai.response.toolCalls': json(
                calls.map(({ id, name, arguments: input }) => ({
                  type: 'tool-call',
                  toolCallId: id,
                  toolName: name,
                  input,
                })),
              ),
            }),
        'ai.usage.inputTokens': REQUEST_USAGE.input,
        'ai.usage.outputTokens': REQUEST_USAGE.output,
        ...usage,
        'ai.response.msToFirstChunk': firstToken,
      },
    }),
    tool: ({ id, name, arguments: given, result }) => ({
      name: 'ai.toolCall',
      attributes: {
        'ai.operationId': 'ai.toolCall',
        'ai.toolCall.name': name,
        'ai.toolCall.id': id,
        'ai.toolCall.args': json(given),
        'ai.toolCall.result': result,
      },
    }),
  },
  Logfire: {
    agent: ({ agent }) => ({
      name: `${agent} run`,
      attributes: { 'logfire.msg': `${agent} run`, agent_name: agent, 'gen_ai.agent.name': agent },
    }),
    request: ({ user, calls, text, firstToken }, answer) => ({
      name: 'chat gpt-5-mini',
      attributes: {
        ...CHAT,
        'logfire.msg': 'chat gpt-5-mini',
        events: json([{ 'event.name': 'gen_ai.user.message', role: 'user', content: user }]),
        'gen_ai.server.time_to_first_token': firstToken / 1_000,
        'gen_ai.output.messages': json([
          {
            role: 'assistant',
            parts:
              answer === 'text'
                ? [{ type: 'text', content: text }]
                : calls.map(({ id, name, arguments: given }) => ({
                    type: 'tool_call',
                    id,
                    name,
                    arguments: json(given),
                  })),
          },
        ]),
      },
    }),
    tool: ({ id, name, arguments: given, result }) => ({
      name: 'running tool',
      attributes: {
        'logfire.msg': `running tool: ${name}`,
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': name,
        'gen_ai.tool.call.id': id,
        tool_arguments: json(given),
        tool_response: result,
      },
    }),
  },
};

export interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly object[];
  readonly events: readonly object[];
}

const SERVER = 2;

/**
 * The spans of a service for one turn, in the order in which they end.
 *
 * @param traceparent the header of the request @param began when the request arrived, in milliseconds since the epoch
 */
export function scriptedSpans(
  convention: string,
  turn: ScriptedTurn,
  traceparent: string,
  began: number,
): WireSpan[] {
  const described = conventions[convention];
  if (!described) throw new Error(`There is no convention "${convention}".`);
  const [, traceId = '', parentSpanId = ''] = traceparent.split('-');
  const span = (
    { name, attributes, events = [] }: Described,
    parent: string,
    [start, end]: readonly [number, number],
    firstToken = start,
    kind = 1,
  ): WireSpan => ({
    traceId,
    spanId: randomBytes(8).toString('hex'),
    parentSpanId: parent,
    name,
    kind,
    startTimeUnixNano: nanoseconds(began + start),
    endTimeUnixNano: nanoseconds(began + end),
    attributes: attributesFrom(attributes),
    events: events.map((event) => ({
      name: event.name,
      timeUnixNano: nanoseconds(began + firstToken),
      attributes: attributesFrom(event.attributes),
    })),
  });
  const toolsTook = turn.calls.reduce((sum, { took }) => sum + took, 0);
  const all = 2 + toolsTook + turn.firstToken + 2;
  const server = span({ name: 'POST /chat', attributes: {} }, parentSpanId, [0, all], 0, SERVER);
  const agent = span(described.agent(turn), server.spanId, [0, all]);
  const request = (answer: 'calls' | 'text', at: number) =>
    span(
      described.request(turn, answer),
      agent.spanId,
      [at, at + turn.firstToken + 1],
      at + turn.firstToken,
    );
  let at = 1;
  const tools = turn.calls.map((call) => {
    const one = span(described.tool(call), agent.spanId, [at, at + call.took]);
    at += call.took;
    return one;
  });
  const asked = turn.calls.length > 0 ? [request('calls', 0)] : [];
  return [...asked, ...tools, request('text', at), agent, server];
}

function nanoseconds(milliseconds: number): string {
  return String(BigInt(Math.round(milliseconds * 1e3)) * 1_000n);
}

function attributesFrom(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: unknown): object {
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (typeof value === 'number') {
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  }
  return { stringValue: String(value) };
}

/** An export request in OTLP/JSON. */
export function exportRequest(spans: readonly WireSpan[]): object {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'test' }, spans }] }] };
}
