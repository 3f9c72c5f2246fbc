/**
 * Makes targets of type `module` from agents written with a framework. Each adapter reports the agent's calls, results,
 * system prompt, tools, and usage, and continues each conversation in the framework's own messages:
 *
 * import { aiSdk } from 'turnlight/agents'; import { agent } from './agent.js';
 *
 * export default aiSdk(agent);
 */
import type { Target, TargetFacts } from 'turnlight';

/**
 * A `ToolLoopAgent` from the AI SDK, or a function that returns the result of `generateText` or `streamText`:
 *
 * export default aiSdk((messages) => generateText({ model, system, tools, messages }));
 */
export function aiSdk(
  agent:
    | { generate(options: never): PromiseLike<object> }
    | ((messages: never, facts: TargetFacts) => object | PromiseLike<object>),
): Target;

/**
 * A compiled LangGraph graph or a LangChain agent whose state contains `messages`. If it has a checkpointer, the
 * checkpointer keeps the conversation.
 */
export function langgraph(graph: {
  invoke(input: never, config?: never): PromiseLike<unknown>;
}): Target;

/** An `Agent` of Mastra. */
export function mastra(agent: {
  readonly name: string;
  generate(messages: never, options?: never): PromiseLike<object>;
}): Target;

/**
 * An agent from the OpenAI Agents SDK, and the SDK's `run`:
 *
 * import { run } from '@openai/agents';
 *
 * export default openaiAgents(agent, run);
 */
export function openaiAgents(
  agent: { readonly name: string },
  run: (agent: never, input: never, options?: never) => PromiseLike<object>,
): Target;
