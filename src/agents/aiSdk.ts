import type { TargetFacts, TargetMessage } from '../../types/index.d.ts';
import { adapter, SystemTexts, toolOf } from './adapter.ts';

/** The part of the AI SDK's result that we use. `streamText` returns promises. */
interface Result {
  readonly response: { readonly messages: readonly object[] } | PromiseLike<{ messages: object[] }>;
  readonly steps: readonly object[] | PromiseLike<readonly object[]>;
  readonly totalUsage: Usage | PromiseLike<Usage>;
}

interface Usage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
}

interface AiSdkAgent {
  readonly tools?: Readonly<Record<string, { description?: unknown; inputSchema?: unknown }>>;
  /** Private in the AI SDK's types. */
  readonly settings?: { readonly instructions?: unknown };
  generate(options: { messages: object[]; abortSignal: AbortSignal }): PromiseLike<Result>;
}

type Generate = (messages: object[], facts: TargetFacts) => Result | PromiseLike<Result>;

export function aiSdk(agent: AiSdkAgent | Generate) {
  return adapter((history) => {
    const messages = modelMessages(history);
    const texts = new SystemTexts();
    return async (added, facts) => {
      messages.push(...modelMessages(added));
      const result =
        typeof agent === 'function'
          ? await agent([...messages], facts)
          : await agent.generate({ messages: [...messages], abortSignal: facts.signal });
      const reply = (await result.response).messages;
      messages.push(...reply);
      const { inputTokens, outputTokens, cachedInputTokens = 0 } = await result.totalUsage;
      const isCounted = inputTokens !== undefined && outputTokens !== undefined;
      return {
        messages: [
          ...(typeof agent === 'function' ? [] : texts.unshown(agent.settings?.instructions)),
          ...reply,
        ],
        ...(typeof agent !== 'function' && { tools: toolsOf(agent) }),
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

function toolsOf({ tools = {} }: AiSdkAgent) {
  return Object.entries(tools).map(([name, { description, inputSchema }]) =>
    toolOf(name, description, inputSchema),
  );
}

/** Messages as `ModelMessage`s. */
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
