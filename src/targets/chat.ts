import { resolve } from 'node:path';
import * as z from 'zod';
import { type Message, type Tool, type ToolCall, toolsSchema } from '../core/message.ts';
import type { TargetSpec } from '../core/suite.ts';
import { addUsage, NO_USAGE } from '../core/verdict.ts';
import { type TimeLimit, withTimeLimit } from '../models/endpoint/timeLimit.ts';
import { type Model, type ModelReply, type Thoughts, usageOfFailure } from '../models/model.ts';
import { canonicalJson } from '../node/hashes.ts';
import { commonKeys } from './keys.ts';
import { openTargetModule } from './module.ts';
import type { ModuleProcess, Thrown } from './programs/moduleProcess.ts';
import { checkLength, replyTimeoutError } from './replyLimits.ts';
import {
  conversationFactsOf,
  type OnText,
  TargetError,
  type TargetHost,
  type TargetReply,
  type TargetType,
} from './target.ts';

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

const toolAnswerKeys = {
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

/** Tools without an answer. A `tool_module`'s functions are known only once it runs. */
function unansweredTools(params: TargetSpec['params'], tools: readonly Tool[]): readonly Tool[] {
  const { tool_results, tool_module } = answerSchema.parse(params);
  return tool_module === undefined ? unscripted(tools, tool_results) : [];
}

function unscripted(tools: readonly Tool[], results: object = {}): readonly Tool[] {
  return tools.filter(({ name }) => !Object.hasOwn(results, name));
}

/** Answers the tool calls of one conversation, from scripted results or with the user's functions. */
class ToolAnswers {
  readonly #spec: TargetSpec;
  readonly #tools: readonly Tool[];
  readonly #host: TargetHost;
  readonly #timeout: number;
  readonly #results: ScriptedResults;
  #module: ModuleProcess | undefined;

  /** @param timeout milliseconds per function call @throws TargetError if a tool has no answer */
  constructor(spec: TargetSpec, tools: readonly Tool[], timeout: number, host: TargetHost) {
    const [lost] = unansweredTools(spec.params, tools);
    if (lost) throw noAnswerError(spec, `calls of the tool ${lost.name}`);
    this.#spec = spec;
    this.#tools = tools;
    this.#host = host;
    this.#timeout = timeout;
    this.#results = answerSchema.parse(spec.params).tool_results ?? {};
  }

  /** Starts the functions, if any. @throws TargetError if a tool has none */
  async start(signal: AbortSignal): Promise<void> {
    const { name, folder, params } = this.#spec;
    const { tool_module } = answerSchema.parse(params);
    if (this.#module || tool_module === undefined || this.#tools.length === 0) return;
    const what = `The \`tool_module\` of "${name}"`;
    const path = resolve(folder, tool_module);
    this.#module = await openTargetModule(name, what, path, {}, this.#host);
    const functions = await this.#module.functions(this.#timeout, signal);
    const lost = unscripted(this.#tools, this.#results).find(
      (one) => !functions.includes(one.name),
    );
    if (!lost) return;
    const has = functions.join(', ') || 'none';
    const message = `${what} exports no function for the tool ${lost.name}. It exports: ${has}.`;
    throw new TargetError('target-error', message);
  }

  /** @throws TargetError */
  async answer(call: ToolCall, signal: AbortSignal): Promise<string> {
    return scriptedAnswer(call, this.#results) ?? (await this.#callFunction(call, signal));
  }

  /** Milliseconds that the functions took to load. */
  startup(): number {
    return this.#module?.startup() ?? 0;
  }

  async close(): Promise<void> {
    await this.#module?.close();
  }

  async #callFunction({ name, arguments: input }: ToolCall, signal: AbortSignal): Promise<string> {
    if (!this.#module || !this.#tools.some((tool) => tool.name === name)) {
      throw noAnswerError(this.#spec, `the call ${name} ${JSON.stringify(input)}`);
    }
    if (typeof input === 'string') {
      const message = `The model called ${name} with arguments that are not JSON: ${input}`;
      throw new TargetError('target-malformed-reply', message);
    }
    const called = {
      exported: name,
      input,
      about: conversationFactsOf(this.#host),
      // The agent has to handle a failed tool.
      onThrow: ({ message, error }: Thrown) => {
        this.#host.log.info(`[${this.#spec.name}] ${name}: ${message}`);
        return `Error: ${error}`;
      },
    };
    const result = await this.#module.call(called, this.#timeout, signal);
    return typeof result === 'string' ? result : JSON.stringify(result);
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

const DEFAULT_ROUNDS = 10;

const schema = z.strictObject({
  type: z.literal('chat').describe('A model plays the assistant.'),
  model: z.unknown().meta({
    description: 'The model: a name in `models`, `provider:model`, or a mapping.',
    refersTo: 'model',
  }),
  tools: toolsSchema.optional().describe("Tools the model may call. Default: the case's tools."),
  ...toolAnswerKeys,
  max_tool_rounds: z.int().min(1).optional().meta({
    description: 'Maximum number of rounds of tool calls per reply.',
    default: DEFAULT_ROUNDS,
  }),
  ...commonKeys,
});

export const chatTarget: TargetType = {
  type: 'chat',
  summary:
    'A model with a system prompt and tools, answered by scripted results or by your functions',
  schema,
  repliesWithSystemTexts: false,
  keysDecide: true,
  reportsAll: true,
  files: ({ folder, params: { tool_module } }) =>
    typeof tool_module === 'string' ? [resolve(folder, tool_module)] : [],
  unansweredTools,
  async open(spec, host) {
    const { model } = host;
    if (!model) throw new TargetError('target-error', `The target "${spec.name}" has no model.`);
    const params = schema.parse(spec.params);
    const { timeout = host.timeout, max_tool_rounds: rounds = DEFAULT_ROUNDS } = params;
    const tools = spec.tools ?? host.tools;
    const answers = new ToolAnswers(spec, tools, timeout, host);
    let usage = NO_USAGE;
    let replies = 0;
    let waited = 0;
    const converse = async (
      messages: readonly Message[],
      signal: AbortSignal,
      limit: TimeLimit,
      onText: OnText | undefined,
    ): Promise<TargetReply> => {
      limit.onWait(true);
      await answers.start(signal).finally(() => limit.onWait(false));
      const added: Message[] = [];
      const unscrubbed: Message[] = [];
      // The endpoint wants them back only until the reply is complete.
      const thoughts = new Map<Message, Thoughts>();
      let length = 0;
      const add = (message: Message, exact = message) => {
        added.push(message);
        unscrubbed.push(exact);
        const size = JSON.stringify(message).length;
        length += size;
        replies += size;
        checkLength(length, replies);
      };
      usage = NO_USAGE;
      let past = { usage: NO_USAGE, latency: 0 };
      let isCached = false;
      for (let round = 0; ; round += 1) {
        const request = {
          messages: [...messages, ...added],
          tools,
          thoughts,
          onWait: limit.onWait,
          ...(onText && { onText: (text: string) => onText(joinTexts([...textsIn(added), text])) }),
        };
        const [reply] = await model.complete(request, 1, signal).catch((error) => {
          usage = addUsage(usage, usageOfFailure(error));
          throw error;
        });
        usage = addUsage(usage, reply.usage);
        const { usage: used, latency } = reply.past ?? { usage: reply.usage, latency: 0 };
        past = { usage: addUsage(past.usage, used), latency: past.latency + latency };
        isCached ||= reply.past !== undefined;
        const said = replyMessageOf(reply, model);
        if (reply.thoughts) thoughts.set(said, reply.thoughts);
        add(said, reply.unscrubbed && replyMessageOf(reply.unscrubbed, model));
        if (reply.toolCalls.length === 0) {
          const hasSecrets = unscrubbed.some((message, index) => message !== added[index]);
          return {
            messages: added,
            usage,
            ...(isCached && { past }),
            ...(hasSecrets && { unscrubbed }),
          };
        }
        if (round === rounds) {
          const message = `${model.id} called tools more than ${rounds} times without a reply. Raise \`max_tool_rounds\` if it needs more.`;
          throw new TargetError('target-error', message);
        }
        for (const call of reply.toolCalls) {
          const content = await answers.answer(call, signal);
          add({ role: 'tool', callId: call.id, content });
        }
      }
    };
    return {
      reply: (messages, signal, onText) =>
        withTimeLimit(
          (bound, limit) =>
            converse(messages, bound, limit, onText).finally(() => {
              waited += limit.waited;
            }),
          timeout,
          signal,
          replyTimeoutError(),
        ),
      spent: () => usage,
      waited: () => waited,
      startup: () => answers.startup(),
      close: () => answers.close(),
    };
  },
};

/** @throws TargetError if the reply is empty or truncated */
function replyMessageOf(
  { text, refusal = '', toolCalls, finish }: ModelReply,
  { id }: Model,
): Message {
  if (finish === 'error') {
    const message = `The endpoint of ${id} reported an error in the middle of the reply.`;
    throw new TargetError('target-malformed-reply', message);
  }
  const content = joinTexts([text, refusal]);
  if (content === '' && toolCalls.length === 0) {
    throw new TargetError('target-empty-reply', `${id} returned an empty reply.`);
  }
  if (finish === 'length') {
    const message = `The reply of ${id} was cut off at the token limit. Raise \`max_tokens\`.`;
    throw new TargetError('target-malformed-reply', message);
  }
  return { role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls: [...toolCalls] }) };
}

function textsIn(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, content }) => (role === 'assistant' ? [content] : []));
}

function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}
