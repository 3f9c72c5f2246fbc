import { resolve } from 'node:path';
import * as z from 'zod';
import { mappingOf } from '../../core/data/data.ts';
import type { Tool, ToolCall } from '../../core/message.ts';
import type { TargetSpec } from '../../core/suite.ts';
import { truncateList } from '../../core/text/format.ts';
import type { TimeLimit } from '../../models/endpoint/timeLimit.ts';
import { canonicalJson } from '../../node/hashes.ts';
import type { McpServers } from '../mcp/mcpServers.ts';
import { openTargetModule } from '../module.ts';
import type { ModuleProcess, Thrown } from '../programs/moduleProcess.ts';
import { replyTimeoutError } from '../replyLimits.ts';
import { conversationFactsOf, TargetError, type TargetHost } from '../target.ts';
import { mcpServersOf } from './mcpServers.ts';

const scriptedResult = z.union([
  z.string(),
  z
    .array(
      z.strictObject({
        args: z.record(z.string(), z.unknown()).optional().meta({
          description: 'Arguments the call must have. Default: any.',
        }),
        result: z.string().describe('What the tool returns.'),
      }),
    )
    .min(1),
]);

export const toolAnswerKeys = {
  tool_results: z.record(z.string(), scriptedResult).optional().meta({
    description:
      'Scripted results by tool name: text, or a list of `{args?, result}`. The first entry whose `args` are all in the call applies.',
    refersTo: 'tool',
  }),
  tool_module: z.string().min(1).optional().meta({
    description:
      'A `.js`, `.mjs` or `.ts` file, relative to this one. Its exported functions answer calls that `tool_results` does not: `async (args, { case, conversation, context, signal }) => result`.',
    file: 'module',
  }),
};

const answerSchema = z.object(toolAnswerKeys);

type ScriptedResults = NonNullable<z.infer<typeof answerSchema>['tool_results']>;

/** Tools without an answer. Which functions and server tools exist is known only once the module and the servers run. */
export function unansweredTools(
  params: TargetSpec['params'],
  tools: readonly Tool[],
): readonly Tool[] {
  const { tool_results, tool_module } = answerSchema.parse(params);
  const isKnown = tool_module === undefined && mcpServersOf({ params }).length === 0;
  return isKnown ? unscripted(tools, tool_results) : [];
}

function unscripted(tools: readonly Tool[], results: object = {}): readonly Tool[] {
  return tools.filter(({ name }) => !Object.hasOwn(results, name));
}

/** Answers one conversation's tool calls with scripted results, the user's functions, or MCP servers. */
export class ToolAnswers {
  readonly #spec: TargetSpec;
  readonly #own: readonly Tool[];
  readonly #host: TargetHost;
  readonly #timeout: number;
  readonly #results: ScriptedResults;
  #isStarted = false;
  #module: ModuleProcess | undefined;
  #functions: readonly string[] = [];
  #servers: McpServers | undefined;

  /**
   * @param tools the target's or the case's tools
   * @param timeout milliseconds for each function call, and for each server to start
   * @throws TargetError if a tool has no answer
   */
  constructor(spec: TargetSpec, tools: readonly Tool[], timeout: number, host: TargetHost) {
    const [lost] = unansweredTools(spec.params, tools);
    if (lost) throw noAnswerError(spec, `calls of the tool ${lost.name}`);
    this.#spec = spec;
    this.#own = tools;
    this.#host = host;
    this.#timeout = timeout;
    this.#results = answerSchema.parse(spec.params).tool_results ?? {};
  }

  /** The tools that the model can call. */
  get tools(): readonly Tool[] {
    return [...this.#own, ...(this.reported ?? []).filter(({ name }) => !this.#isOwn(name))];
  }

  /** The servers' tools; undefined if there are no servers. */
  get reported(): readonly Tool[] | undefined {
    return this.#servers?.tools;
  }

  /** Starts the functions and servers, if any. @throws TargetError if a tool has no answer */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#isStarted) return;
    this.#isStarted = true;
    await this.#startModule(signal);
    await this.#startServers(signal);
  }

  /** Updates the tools of servers that reported a change in their tools. @throws TargetError */
  async refresh(signal: AbortSignal, limit: TimeLimit): Promise<void> {
    // Several servers may now have tools with the same name.
    if (await this.#servers?.refresh(signal, limit)) this.#checkNames();
  }

  /** @throws TargetError */
  async answer(call: ToolCall, signal: AbortSignal, limit: TimeLimit): Promise<string> {
    const { name, arguments: input } = call;
    const scripted = scriptedAnswer(call, this.#results);
    if (scripted !== undefined) return scripted;
    const isServers = !this.#functions.includes(name) && this.#isOfServers(name);
    const isFunction = this.#module && this.#isOwn(name) && !isServers;
    if (!isServers && !isFunction) {
      throw noAnswerError(this.#spec, `the call ${name} ${JSON.stringify(input)}`);
    }
    if (typeof input === 'string') {
      const message = `The model called ${name} with arguments that are not JSON: ${input}`;
      throw new TargetError('target-malformed-reply', message);
    }
    const answer = isServers
      ? await this.#servers?.answer(call, signal, limit)
      : await this.#callFunction(call, signal);
    return typeof answer === 'string' ? answer : JSON.stringify(answer);
  }

  /** The error for a reply that takes longer than `timeout` milliseconds. */
  lateError(timeout: number): TargetError {
    return this.#servers?.lateError(timeout) ?? replyTimeoutError()(timeout);
  }

  /** Milliseconds that the functions and servers took to start. */
  startup(): number {
    return (this.#module?.startup() ?? 0) + (this.#servers?.startup ?? 0);
  }

  async close(): Promise<void> {
    await Promise.all([this.#module?.close(), this.#servers?.close()]);
  }

  #isOwn(name: string): boolean {
    return this.#own.some((tool) => tool.name === name);
  }

  #isOfServers(name: string): boolean {
    return this.reported?.some((tool) => tool.name === name) ?? false;
  }

  async #startModule(signal: AbortSignal): Promise<void> {
    const { name, folder, params } = this.#spec;
    const { tool_module } = answerSchema.parse(params);
    if (tool_module === undefined || this.#own.length === 0) return;
    const what = `The \`tool_module\` of "${name}"`;
    const path = resolve(folder, tool_module);
    this.#module = await openTargetModule(name, what, path, {}, this.#host);
    this.#functions = await this.#module.functions(this.#timeout, signal);
    if (mcpServersOf(this.#spec).length > 0) return;
    const lost = this.#unanswered();
    if (!lost) return;
    const has = this.#functions.join(', ') || 'none';
    const message = `${what} exports no function for the tool ${lost.name}. It exports: ${has}.`;
    throw new TargetError('target-error', message);
  }

  async #startServers(signal: AbortSignal): Promise<void> {
    if (mcpServersOf(this.#spec).length === 0) return;
    // The client is bundled in its own chunk.
    const { McpServers } = await import('../mcp/mcpServers.ts');
    this.#servers = new McpServers(this.#spec, this.#host);
    await this.#servers.start(this.#timeout, signal);
    const lost = this.#unanswered();
    if (lost) throw noAnswerError(this.#spec, `calls of the tool ${lost.name}`);
    this.#checkNames();
  }

  #unanswered(): Tool | undefined {
    return unscripted(this.#own, this.#results).find(
      ({ name }) => !this.#functions.includes(name) && !this.#isOfServers(name),
    );
  }

  /** Checks names: a misspelled tool would run without approval, or would not be scripted. @throws TargetError */
  #checkNames(): void {
    const names = this.tools.map(({ name }) => name);
    for (const key of ['approve', 'tool_results']) {
      const given = Object.keys(mappingOf(this.#spec.params[key]));
      const wrong = given.find((name) => !names.includes(name));
      if (wrong === undefined) continue;
      const message = `\`${key}\` of "${this.#spec.name}" names the tool ${wrong}, which nothing offers. Its tools: ${truncateList(names)}.`;
      throw new TargetError('target-error', message);
    }
  }

  #callFunction({ name, arguments: input }: ToolCall, signal: AbortSignal): Promise<unknown> {
    if (!this.#module) throw new Error('Internal error: a function was called without its module.');
    const called = {
      exported: name,
      input,
      about: conversationFactsOf(this.#host),
      // It is up to the agent to handle a failed tool.
      onThrow: ({ message, error }: Thrown) => {
        this.#host.log.info(`[${this.#spec.name}] ${name}: ${message}`);
        return `Error: ${error}`;
      },
    };
    return this.#module.call(called, this.#timeout, signal);
  }
}

function scriptedAnswer(
  { name, arguments: given }: ToolCall,
  results: ScriptedResults,
): string | undefined {
  const answers = Object.hasOwn(results, name) ? results[name] : undefined;
  if (answers === undefined || typeof answers === 'string') return answers;
  return answers.find(({ args = {} }) =>
    Object.entries(args).every(
      ([key, value]) => canonicalJson(Reflect.get(Object(given), key)) === canonicalJson(value),
    ),
  )?.result;
}

function noAnswerError({ name }: TargetSpec, what: string): TargetError {
  const message = `"${name}" has no answer for ${what}. Add one to \`tool_results\`, or set a \`tool_module\`.`;
  return new TargetError('target-error', message);
}
