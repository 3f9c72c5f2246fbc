import type { ScriptTool, TargetFacts, TargetMessage, TargetUsage } from '../../types/index.d.ts';
import { adapter, SystemTexts, TextStream, toolOf } from './adapter.ts';

/** The parts of the OpenAI Agents SDK's types that we use. */
interface Agent {
  readonly name: string;
  getSystemPrompt?(context: unknown): PromiseLike<string | undefined>;
  getAllTools?(context: unknown): PromiseLike<readonly ScriptTool[]>;
}

interface RunItem {
  readonly type: string;
  readonly agent?: Agent;
  readonly sourceAgent?: Agent;
  readonly rawItem: {
    readonly content?: readonly { readonly text?: string; readonly refusal?: string }[];
    readonly callId?: string;
    readonly name?: string;
    readonly arguments?: string;
    readonly output?: unknown;
  };
}

interface Result {
  readonly newItems: readonly RunItem[];
  readonly history: readonly object[];
  readonly activeAgent?: Agent | undefined;
  readonly lastAgent?: Agent | undefined;
  readonly interruptions?: readonly object[];
  readonly runContext: { readonly usage?: Usage };
}

interface Usage {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly inputTokensDetails?: readonly Readonly<Record<string, number>>[];
}

interface StreamedResult extends Result {
  readonly completed: PromiseLike<unknown>;
  [Symbol.asyncIterator](): AsyncIterator<StreamEvent>;
}

interface StreamEvent {
  readonly data?: { readonly type: string; readonly delta?: string };
}

interface Options {
  readonly signal: AbortSignal;
  readonly stream?: boolean;
}

type Run = (
  agent: Agent,
  input: object[],
  options: Options,
) => PromiseLike<Result | StreamedResult>;

export function openaiAgents(agent: Agent, run: Run) {
  return adapter((history) => {
    let speaker = agent;
    let items = history.flatMap(inputItems);
    const texts = new SystemTexts();
    return async (added, facts) => {
      const { signal, stream } = facts;
      const options = { signal, ...(stream && { stream: true }) };
      const result = await run(speaker, [...items, ...added.flatMap(inputItems)], options);
      if ('completed' in result) await streamText(result, facts);
      if (result.interruptions && result.interruptions.length > 0) {
        throw new Error('The agent is waiting for a tool call to be approved.');
      }
      speaker = result.activeAgent ?? result.lastAgent ?? speaker;
      items = [...result.history];
      const messages: object[] = [];
      const tools = new Map<string, ScriptTool>();
      const described = new Set<Agent>();
      for (const item of result.newItems) {
        const by = item.agent ?? item.sourceAgent;
        if (by && !described.has(by)) {
          described.add(by);
          messages.push(...texts.unshown(await by.getSystemPrompt?.(result.runContext)));
          const offered = (await by.getAllTools?.(result.runContext)) ?? [];
          for (const { name, description, parameters } of offered) {
            tools.set(name, toolOf(name, description, parameters));
          }
        }
        messages.push(...messageOf(item, by?.name));
      }
      return { messages, tools: [...tools.values()], ...usageOf(result.runContext.usage) };
    };
  });
}

async function streamText(result: StreamedResult, facts: TargetFacts): Promise<void> {
  const stream = new TextStream(facts);
  for await (const { data } of result) {
    if (data?.type === 'response_started') stream.beginText();
    if (data?.type === 'output_text_delta') stream.add(data.delta);
  }
  await result.completed;
}

function messageOf({ type, rawItem }: RunItem, agent: string | undefined): TargetMessage[] {
  const { content = [], callId = '', name = '', arguments: given = '{}', output } = rawItem;
  const said = content.map(({ text, refusal }) => text ?? refusal ?? '').join('');
  switch (type) {
    case 'message_output_item':
      return [{ role: 'assistant', content: said, agent }];
    case 'tool_call_item':
    case 'handoff_call_item': {
      const call = { id: callId, type: 'function', function: { name, arguments: given } } as const;
      return [{ role: 'assistant', content: null, tool_calls: [call], agent }];
    }
    case 'tool_call_output_item':
    case 'handoff_output_item':
      return [{ role: 'tool', tool_call_id: callId, content: outputText(output) }];
    default:
      return [];
  }
}

function outputText(output: unknown): string {
  const { type, text } = Object(output);
  const content = type === 'text' && typeof text === 'string' ? text : output;
  return typeof content === 'string' ? content : (JSON.stringify(content) ?? '');
}

function usageOf(usage: Usage | undefined): { readonly usage?: TargetUsage } {
  if (!usage || usage.requests === 0) return {};
  const cached = (usage.inputTokensDetails ?? []).map((details) => details.cached_tokens ?? 0);
  return {
    usage: {
      calls: usage.requests,
      input_tokens: usage.inputTokens,
      cached_tokens: cached.reduce((sum, count) => sum + count, 0),
      output_tokens: usage.outputTokens,
    },
  };
}

/** Converts a message to items for the SDK's history. */
function inputItems({ role, content, ...message }: TargetMessage): object[] {
  const { tool_calls: calls = [], tool_call_id: callId } = message;
  if (role === 'tool') {
    return [{ type: 'function_call_result', callId, output: content ?? '', status: 'completed' }];
  }
  if (role !== 'assistant') {
    return [{ role: role === 'user' ? 'user' : 'system', content: content ?? '' }];
  }
  const text = { type: 'output_text', text: content };
  return [
    ...(content ? [{ role, status: 'completed', content: [text] }] : []),
    ...calls.map(({ id, function: { name, arguments: given } }) => ({
      type: 'function_call',
      callId: id,
      name,
      arguments: given,
      status: 'completed',
    })),
  ];
}
