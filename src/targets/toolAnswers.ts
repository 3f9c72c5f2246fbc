import { resolve } from 'node:path';
import * as z from 'zod';
import { canonicalJson } from '../core/data/digest.ts';
import type { Tool, ToolCall } from '../core/message.ts';
import type { TargetSpec } from '../core/suite.ts';
import { environmentFor } from './programs/environment.ts';
import { type ModuleProcess, openModule, type Thrown } from './programs/moduleProcess.ts';
import { programPath } from './programs/programPath.ts';
import { TargetError, type TargetHost } from './target.ts';

const scriptedResult = z.union([
  z.string(),
  z
    .array(
      z.strictObject({
        args: z.record(z.string(), z.unknown()).optional().meta({
          description: 'Arguments the call must have. Default: any.',
        }),
        result: z.string().meta({ description: 'What the tool returns.' }),
      }),
    )
    .min(1),
]);

/** What answers the calls of a model's tools. */
export const answerKeys = {
  tool_results: z.record(z.string(), scriptedResult).optional().meta({
    description:
      'Scripted results by tool name: text, or a list of `{args?, result}`. The first entry whose `args` are all in the call is used.',
    refersTo: 'tool',
  }),
  tool_module: z.string().min(1).optional().meta({
    description:
      'A `.js`, `.mjs` or `.ts` file, relative to this one. Its exported functions answer calls that `tool_results` does not: `async (args, { case, conversation, context, signal }) => result`.',
    file: 'module',
  }),
};

const answerSchema = z.object(answerKeys);

/** The tools that nothing answers for. Which functions a `tool_module` has is known once it runs. */
export function unansweredTools(
  params: TargetSpec['params'],
  tools: readonly Tool[],
): readonly Tool[] {
  const { tool_results, tool_module } = answerSchema.parse(params);
  return tool_module === undefined ? unscripted(tools, tool_results) : [];
}

function unscripted(tools: readonly Tool[], results: object = {}): readonly Tool[] {
  return tools.filter(({ name }) => !Object.hasOwn(results, name));
}

/** Answers the calls of one conversation, scripted or by the user's functions. */
export class ToolAnswers {
  readonly #spec: TargetSpec;
  readonly #tools: readonly Tool[];
  readonly #host: TargetHost;
  readonly #timeout: number;
  readonly #results: NonNullable<z.infer<typeof answerSchema>['tool_results']>;
  #module: ModuleProcess | undefined;

  /**
   * @param timeout milliseconds that one function may take
   * @throws TargetError where nothing answers for a tool
   */
  constructor(spec: TargetSpec, tools: readonly Tool[], timeout: number, host: TargetHost) {
    const [lost] = unansweredTools(spec.params, tools);
    if (lost) throw noAnswer(spec, `calls of the tool ${lost.name}`);
    this.#spec = spec;
    this.#tools = tools;
    this.#host = host;
    this.#timeout = timeout;
    this.#results = answerSchema.parse(spec.params).tool_results ?? {};
  }

  /** Starts the functions, where there are some. @throws TargetError where a tool has none */
  async start(signal: AbortSignal): Promise<void> {
    const { tool_module } = answerSchema.parse(this.#spec.params);
    if (this.#module || tool_module === undefined || this.#tools.length === 0) return;
    const { name, folder } = this.#spec;
    const path = resolve(folder, tool_module);
    const what = `The \`tool_module\` of "${name}"`;
    this.#module = openModule({
      programs: this.#host.programs,
      file: await programPath(what, path, 'file', this.#host.workspace),
      env: environmentFor(name, {}, this.#host),
      onOutput: (line) => this.#host.log.info(`[${name}] ${line}`),
    });
    const functions = await this.#module.functions(this.#timeout, signal);
    const lost = unscripted(this.#tools, this.#results).find(
      (tool) => !functions.includes(tool.name),
    );
    if (!lost) return;
    const has = functions.join(', ') || 'none';
    throw new TargetError(
      'target-error',
      `${what} exports no function for the tool ${lost.name}. It exports: ${has}.`,
    );
  }

  /** @throws TargetError */
  async answer(call: ToolCall, signal: AbortSignal): Promise<string> {
    return scripted(call, this.#results) ?? (await this.#called(call, signal));
  }

  /** Milliseconds that the functions took to load. */
  startup(): number {
    return this.#module?.startup() ?? 0;
  }

  async close(): Promise<void> {
    await this.#module?.close();
  }

  async #called({ name, arguments: input }: ToolCall, signal: AbortSignal): Promise<string> {
    if (!this.#module || !this.#tools.some((tool) => tool.name === name)) {
      throw noAnswer(this.#spec, `the call ${name} ${JSON.stringify(input)}`);
    }
    if (typeof input === 'string') {
      const message = `The model called ${name} with arguments that are not JSON: ${input}`;
      throw new TargetError('target-malformed-reply', message);
    }
    const { caseId, conversationId, context } = this.#host;
    const about = { case: caseId, conversation: conversationId, context };
    const called = {
      exported: name,
      input,
      about,
      // A tool that fails is something the agent has to deal with.
      onThrow: ({ message, error }: Thrown) => {
        this.#host.log.info(`[${this.#spec.name}] ${name}: ${message}`);
        return `Error: ${error}`;
      },
    };
    const result = await this.#module.call(called, this.#timeout, signal);
    return typeof result === 'string' ? result : JSON.stringify(result);
  }
}

function scripted(
  { name, arguments: given }: ToolCall,
  results: NonNullable<z.infer<typeof answerSchema>['tool_results']>,
): string | undefined {
  const answers = Object.hasOwn(results, name) ? results[name] : undefined;
  if (answers === undefined || typeof answers === 'string') return answers;
  return answers.find(({ args = {} }) =>
    Object.entries(args).every(
      ([key, value]) => canonicalJson(Reflect.get(Object(given), key)) === canonicalJson(value),
    ),
  )?.result;
}

function noAnswer({ name }: TargetSpec, what: string): TargetError {
  const message = `Nothing answers ${what} in "${name}". Add it to \`tool_results\`, or set a \`tool_module\`.`;
  return new TargetError('target-error', message);
}
