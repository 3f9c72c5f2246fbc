import type { ScriptTool, TargetUsage } from '../../types/index.d.ts';
import { adapter, SystemTexts, TextStream, toolOf } from './adapter.ts';

/** The parts of LangGraph's and LangChain's types that we use. */
interface Graph {
  readonly checkpointer?: unknown;
  /** Set on a LangChain agent. */
  readonly graph?: { readonly checkpointer?: unknown };
  invoke(input: { messages: object[] }, config: object): PromiseLike<State>;
}

interface State {
  readonly messages: readonly StateMessage[];
  readonly __interrupt__?: readonly object[];
}

interface StateMessage {
  readonly id?: string;
  readonly type?: string;
  readonly usage_metadata?: {
    /** Absent if 0. */
    readonly input_tokens?: number;
    readonly output_tokens?: number;
    readonly input_token_details?: { readonly cache_read?: number };
  };
}

export function langgraph(graph: Graph) {
  const keepsState = Boolean(graph.checkpointer ?? graph.graph?.checkpointer);
  return adapter((history) => {
    let messages: readonly { readonly id?: string }[] = withIds(history);
    const known = new Set<string | undefined>();
    const texts = new SystemTexts();
    return async (added, facts) => {
      const { conversation, signal } = facts;
      const stream = new TextStream(facts);
      const tools = new Map<string, ScriptTool>();
      const systemTexts: object[] = [];
      // A node's system prompt and tools are in its requests, not in the state.
      const observer = {
        handleChatModelStart(
          _model: unknown,
          [asked = []]: readonly (readonly { type?: string; text?: unknown }[])[],
          _runId: string,
          _parent: unknown,
          extra:
            | { invocation_params?: { tools?: readonly { function?: ScriptTool }[] } }
            | undefined,
        ) {
          stream.beginText();
          for (const { type, text } of asked) {
            if (type === 'system') systemTexts.push(...texts.unshown(text));
          }
          for (const { function: offered } of extra?.invocation_params?.tools ?? []) {
            if (!offered) continue;
            tools.set(offered.name, toolOf(offered.name, offered.description, offered.parameters));
          }
        },
        /** Makes models stream. */
        lc_prefer_streaming: facts.stream !== undefined,
        handleLLMNewToken(token: string) {
          stream.add(token);
        },
      };
      const isFirst = known.size === 0;
      const given = [...(isFirst || !keepsState ? messages : []), ...withIds(added)];
      for (const { id } of given) known.add(id);
      const state = await graph.invoke(
        { messages: given },
        { configurable: { thread_id: conversation }, callbacks: [observer], signal },
      );
      if (state.__interrupt__ && state.__interrupt__.length > 0) {
        throw new Error('The graph was interrupted and is waiting to be resumed.');
      }
      // The graph may have removed messages, too.
      const reply = state.messages.filter(({ id }) => !known.has(id));
      for (const { id } of reply) known.add(id);
      messages = state.messages;
      const usage = usageOf(reply.filter(({ type }) => type === 'ai'));
      return {
        messages: [...systemTexts, ...reply],
        tools: [...tools.values()],
        ...(usage && { usage }),
      };
    };
  });
}

/** Adds ids so that we can recognize the messages in the state. */
function withIds(messages: readonly object[]) {
  return messages.map((message) => ({ id: crypto.randomUUID(), ...message }));
}

/** Undefined if any message lacks its usage. */
function usageOf(messages: readonly StateMessage[]): TargetUsage | undefined {
  const usages = messages.flatMap(({ usage_metadata: usage }) => usage ?? []);
  if (usages.length === 0 || usages.length < messages.length) return undefined;
  const sum = (counts: readonly (number | undefined)[]) =>
    counts.reduce<number>((total, count = 0) => total + count, 0);
  return {
    calls: usages.length,
    input_tokens: sum(usages.map((usage) => usage.input_tokens)),
    cached_tokens: sum(usages.map((usage) => usage.input_token_details?.cache_read)),
    output_tokens: sum(usages.map((usage) => usage.output_tokens)),
  };
}
