import type { ScriptTool, TargetFacts, TargetMessage } from '../../types/index.d.ts';
import { adapter, SystemTexts, TextStream, toolOf } from './adapter.ts';

/** The part of the AI SDK's and Mastra's results that we use. Streamed results contain promises. */
export interface Result {
  readonly response: Awaitable<{ readonly messages: readonly object[] }>;
  readonly steps: Awaitable<readonly object[]>;
  readonly totalUsage: Awaitable<Usage>;
  readonly finishReason?: Awaitable<string | undefined>;
  /** Set if a request of Mastra failed. */
  readonly error?: unknown;
  /** Absent if the result isn't streamed. */
  readonly fullStream?: AsyncIterable<StreamPart>;
}

export type Awaitable<Value> = Value | PromiseLike<Value>;

interface Usage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
}

/** Mastra's parts have a payload. */
interface StreamPart {
  readonly type: string;
  readonly text?: unknown;
  readonly error?: unknown;
  readonly payload?: { readonly text?: unknown; readonly error?: unknown };
}

export interface Tools {
  readonly [name: string]: { readonly description?: unknown; readonly inputSchema?: unknown };
}

interface Call {
  readonly messages: object[];
  readonly abortSignal: AbortSignal;
}

interface AiSdkAgent {
  readonly tools?: Tools;
  /** Private in the AI SDK's types. */
  readonly settings?: { readonly instructions?: unknown };
  generate(options: Call): PromiseLike<Result>;
  stream?(options: Call): PromiseLike<Result>;
}

type Generate = (messages: object[], facts: TargetFacts) => Awaitable<Result>;

export function aiSdk(agent: AiSdkAgent | Generate) {
  if (typeof agent === 'function') return resultTarget(agent, () => ({}));
  const { tools = {}, settings } = agent;
  const generate: Generate = (messages, { signal, stream }) => {
    const call = { messages, abortSignal: signal };
    return stream && agent.stream ? agent.stream(call) : agent.generate(call);
  };
  return resultTarget(generate, () => ({
    instructions: [settings?.instructions],
    tools: toolsOf(tools),
  }));
}

interface Description {
  readonly name?: string;
  readonly instructions?: readonly unknown[];
  readonly tools?: ScriptTool[];
}

/** A target that continues each conversation with the messages of its results. */
export function resultTarget(generate: Generate, describe: () => Awaitable<Description>) {
  return adapter((history) => {
    const messages = modelMessages(history);
    const texts = new SystemTexts();
    return async (added, facts) => {
      messages.push(...modelMessages(added));
      const { name, instructions = [], tools } = await describe();
      const result = await generate([...messages], facts);
      if (facts.stream && result.fullStream) await streamText(result.fullStream, facts);
      if ((await result.finishReason) === 'suspended') {
        throw new Error('The agent was suspended and is waiting to be resumed.');
      }
      if (result.error) throw result.error;
      const reply = (await result.response).messages;
      messages.push(...reply);
      const { inputTokens, outputTokens, cachedInputTokens = 0 } = await result.totalUsage;
      const isCounted = inputTokens !== undefined && outputTokens !== undefined;
      return {
        messages: [
          ...instructions.flatMap((text) => texts.unshown(text)),
          ...reply.map((message) => (name === undefined ? message : namedMessage(message, name))),
        ],
        ...(tools && { tools }),
        ...(isCounted && {
          usage: {
            calls: (await result.steps).length,
            input_tokens: inputTokens,
            cached_tokens: cachedInputTokens,
            output_tokens: outputTokens,
          },
        }),
      };
    };
  });
}

async function streamText(parts: AsyncIterable<StreamPart>, facts: TargetFacts): Promise<void> {
  const stream = new TextStream(facts);
  for await (const { type, payload, text = payload?.text, error = payload?.error } of parts) {
    if (type === 'error') throw error;
    if (type === 'text-start') stream.beginText();
    if (type === 'text-delta' && typeof text === 'string') stream.add(text);
  }
}

function namedMessage(message: object, agent: string): object {
  return Object(message).role === 'assistant' ? { ...message, agent } : message;
}

export function toolsOf(tools: Tools): ScriptTool[] {
  return Object.entries(tools).map(([name, { description, inputSchema }]) =>
    toolOf(name, description, inputSchema),
  );
}

/** Converts messages to `ModelMessage`s. */
function modelMessages(messages: readonly TargetMessage[]): object[] {
  const names = new Map<string | undefined, string>();
  return messages.map(({ role, content, tool_calls: calls = [], tool_call_id: toolCallId }) => {
    for (const { id, function: called } of calls) names.set(id, called.name);
    if (role === 'tool') {
      const output = { type: 'text', value: content ?? '' };
      const toolName = names.get(toolCallId);
      return { role, content: [{ type: 'tool-result', toolCallId, toolName, output }] };
    }
    if (role !== 'assistant') {
      return { role: role === 'user' ? 'user' : 'system', content: content ?? '' };
    }
    const parts = calls.map(({ id, function: { name, arguments: given } }) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: name,
      input: JSON.parse(given),
    }));
    return { role, content: [...(content ? [{ type: 'text', text: content }] : []), ...parts] };
  });
}
