import * as z from 'zod';
import {
  type EditorModel,
  EditorModelError,
  type EditorReply,
  type EditorRequest,
} from '../core/editorModels.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import type { Usage } from '../core/verdict.ts';
import type { RequestQueue } from './endpoint/requestQueue.ts';
import { type TimeLimit, withTimeLimit } from './endpoint/timeLimit.ts';
import {
  appendSchema,
  type Model,
  ModelError,
  type ModelHost,
  type ModelProvider,
  type ModelReply,
  type ModelRequest,
  repeatInSequence,
} from './model.ts';
import { DEFAULT_TIMEOUT, endpointKeys } from './openai/params.ts';
import { costOf } from './price.ts';

/** All of the editor's models share one queue. */
const EDITOR = 'editor';

const MAX_DETAIL = 300;

const vscodeSchema = z.strictObject({
  provider: z.literal('vscode').meta({
    description: "One of the editor's own models, such as GitHub Copilot's; needs no key.",
  }),
  model: z.string().min(1).describe('Vendor and family, such as `copilot/gpt-4.1`.'),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .optional()
    .describe("Used if the assertion doesn't set one."),
  timeout: z.int().min(1).optional().meta({
    description: 'Time limit for one request in milliseconds.',
    default: DEFAULT_TIMEOUT,
  }),
  max_input_tokens: endpointKeys.max_input_tokens,
  together: endpointKeys.together,
  price: endpointKeys.price,
});

type VscodeParams = z.infer<typeof vscodeSchema>;

/** Models that refused tools, and get a JSON schema instead. */
const withoutTools = new Set<string>();

export const vscodeProvider: ModelProvider = {
  provider: 'vscode',
  summary: "the editor's own models",
  schema: vscodeSchema,
  async connect({ id, params: given }) {
    const params = vscodeSchema.parse(given);
    return { create: (host) => findModel(id, params, host) };
  },
};

async function findModel(
  id: string,
  params: VscodeParams,
  { editorModels, endpoints }: ModelHost,
): Promise<Model> {
  if (!editorModels) {
    const message = `The model "${id}" belongs to the editor, and the command line can't use the editor's models. Run this in VS Code, or choose another judge with --judge.`;
    throw new ModelError('no-editor', message);
  }
  const model = await editorModels.find(params.model);
  if (!model) throw notFoundError(id);
  const queue = endpoints?.queueFor({ url: EDITOR, account: '', name: params.model });
  return new VscodeModel(id, params, model, queue);
}

class VscodeModel implements Model {
  readonly id: string;
  readonly #params: VscodeParams;
  readonly #model: EditorModel;
  readonly #queue: RequestQueue | undefined;

  constructor(id: string, params: VscodeParams, model: EditorModel, queue?: RequestQueue) {
    this.id = id;
    this.#params = params;
    this.#model = model;
    this.#queue = queue;
  }

  complete(request: ModelRequest, count: number, signal: AbortSignal) {
    return repeatInSequence(count, () => this.#completeOnce(request, signal));
  }

  async #completeOnce(request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
    const { timeout = DEFAULT_TIMEOUT } = this.#params;
    const work = async (stop: AbortSignal, limit: TimeLimit) => {
      const queued = { tokens: 0, limit, onWait: request.onWait, signal: stop };
      const inFlight = await this.#queue?.enter(queued, false);
      try {
        stop.throwIfAborted();
        return await this.#answerOf(request, stop);
      } catch (error) {
        throw this.#explain(error);
      } finally {
        inFlight?.end();
      }
    };
    return withTimeLimit(work, timeout, signal, () => {
      const message = `The editor's model "${this.id}" did not answer within ${timeout} ms. Raise the model's \`timeout\` if it needs longer.`;
      return new ModelError('timeout', message);
    });
  }

  /** The model's structured answer: a tool's input if the model supports tools, or else JSON. */
  async #answerOf(request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
    const { answer, messages, tools = [] } = request;
    if (!answer) return this.#send({ messages, tools, mustCall: false }, request, signal);
    const asJson = async () => {
      const plain = { messages: appendSchema(messages, answer), tools: [], mustCall: false };
      return this.#send(plain, request, signal);
    };
    if (withoutTools.has(this.id)) return asJson();
    const tool = { name: answer.name, description: 'Give your answer.', parameters: answer.schema };
    try {
      const reply = await this.#send({ messages, tools: [tool], mustCall: true }, request, signal);
      const call = reply.toolCalls.find(({ name }) => name === answer.name);
      if (!call) return reply;
      return { ...reply, text: JSON.stringify(call.arguments), toolCalls: [], finish: 'stop' };
    } catch (error) {
      if (!(error instanceof EditorModelError) || error.reason !== 'other') throw error;
      const reply = await asJson();
      withoutTools.add(this.id);
      return reply;
    }
  }

  async #send(
    editorRequest: Omit<EditorRequest, 'options'>,
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<ModelReply> {
    const { temperature = this.#params.temperature, maxTokens, seed } = request;
    const { topP, reasoningEffort, extraBody } = request;
    const options = {
      ...extraBody,
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { max_tokens: maxTokens }),
      ...(seed !== undefined && { seed }),
      ...(topP !== undefined && { top_p: topP }),
      ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
    };
    const reply = await this.#model.send({ ...editorRequest, options }, signal);
    return {
      ...reply,
      finish: reply.toolCalls.length > 0 ? 'tool-calls' : 'stop',
      version: this.#model.version,
      usage: await this.#usageOf(editorRequest, reply),
    };
  }

  async #usageOf(
    { messages, tools }: Omit<EditorRequest, 'options'>,
    { text, toolCalls }: EditorReply,
  ): Promise<Usage> {
    const words = messages.map(({ content }) => content).join('\n');
    const offered = tools.length > 0 ? JSON.stringify(tools) : '';
    const called = toolCalls.length > 0 ? JSON.stringify(toolCalls) : '';
    const { price } = this.#params;
    const [input, output] = await Promise.all([
      this.#model.countTokens(words + offered),
      this.#model.countTokens(text + called),
    ]);
    return {
      calls: 1,
      input_tokens: input,
      cached_tokens: 0,
      output_tokens: output,
      cost: price ? costOf({ input, output }, price) : null,
    };
  }

  #explain(error: unknown): unknown {
    if (!(error instanceof EditorModelError)) return error;
    const { reason } = error;
    if (reason === 'not-found') return notFoundError(this.id);
    const words = `(${visibleLine(error.message, MAX_DETAIL)})`;
    const messages = {
      'no-consent': `Turnlight was not allowed to use the editor's model "${this.id}". Run again and allow it, or run the command "Manage Language Model Access".`,
      'quota-exceeded': `The quota of the editor's model "${this.id}" is used up ${words}. Wait until it is renewed, or use another judge.`,
      blocked: `The editor's model "${this.id}" is blocked for this extension ${words}. Use another judge.`,
      other: `The editor's model "${this.id}" failed ${words}.`,
    };
    return new ModelError(reason === 'other' ? 'server-error' : reason, messages[reason]);
  }
}

function notFoundError(id: string): ModelError {
  const message = `The editor has no model "${id}". Sign in to the extension that provides it, such as GitHub Copilot, or choose another model.`;
  return new ModelError('not-found', message);
}
