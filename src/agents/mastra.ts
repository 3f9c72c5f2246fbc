import type { TargetFacts } from '../../types/index.d.ts';
import { type Awaitable, type Result, resultTarget, type Tools, toolsOf } from './aiSdk.ts';

/** The part of Mastra's `Agent` that we use. */
interface Agent {
  readonly name: string;
  getInstructions(): Awaitable<unknown>;
  listTools(): Awaitable<Tools>;
  generate(messages: object[], options: Options): PromiseLike<Result>;
  stream(messages: object[], options: Options): PromiseLike<Result>;
}

interface Options {
  readonly abortSignal: AbortSignal;
}

export function mastra(agent: Agent) {
  const generate = (messages: object[], { signal, stream }: TargetFacts) => {
    const options = { abortSignal: signal };
    return stream ? agent.stream(messages, options) : agent.generate(messages, options);
  };
  return resultTarget(generate, async () => ({
    name: agent.name,
    instructions: [await agent.getInstructions()].flat().map(textOf),
    tools: toolsOf(await agent.listTools()),
  }));
}

/** The text of instructions, or of a system message. */
function textOf(given: unknown): unknown {
  return typeof given === 'string' ? given : Object(given).content;
}
