import * as z from 'zod';
import { mappingOf } from '../core/data/data.ts';
import type { Scrubber } from '../core/scrubber.ts';
import type { ModelSpec } from '../core/suite.ts';
import { nearest } from '../core/text/closest.ts';
import { azureOpenaiProvider } from './azureOpenai.ts';
import { checkDestination } from './destination.ts';
import {
  type Model,
  ModelError,
  type ModelHost,
  type ModelProvider,
  type ModelReply,
  type ModelRequest,
} from './model.ts';
import { ollamaProvider } from './ollama.ts';
import { openaiProvider } from './openai/provider.ts';
import { replayProvider } from './replay.ts';
import { vscodeProvider } from './vscode.ts';

/** All providers. To add one, create a file in this folder and add a line here. */
export const modelProviders: readonly ModelProvider[] = [
  openaiProvider,
  azureOpenaiProvider,
  ollamaProvider,
  vscodeProvider,
  replayProvider,
];

export function findProvider(provider: string): ModelProvider | undefined {
  return modelProviders.find((one) => one.provider === provider);
}

/** Loads these models' clients before the first request. If loading fails, the first request reports the error. */
export function preload(specs: readonly ModelSpec[]): void {
  for (const provider of new Set(specs.map((one) => one.provider))) {
    findProvider(provider)
      ?.load?.()
      .catch(() => {});
  }
}

/**
 * Creates a model whose replies contain no secrets.
 *
 * @throws ModelError if the model's key is missing, or must not be sent to its host
 */
export async function createModel(spec: ModelSpec, host: ModelHost): Promise<Model> {
  const provider = findProvider(spec.provider);
  if (!provider) throw new ModelError('not-found', `There is no provider "${spec.provider}".`);
  const { destination, missingKey, create } = await provider.connect(spec, host);
  if (destination) checkDestination(destination, host.allowedHosts);
  if (missingKey !== undefined) {
    const message = `The API key ${missingKey} is not set, and the model "${spec.id}" needs it. In the editor, run "Turnlight: Set API Key…". On the command line, set it in the environment, or in a file that you pass with \`--dotenv\`.`;
    throw new ModelError('missing-key', message);
  }
  const { scrubber } = host;
  for (const name of destination?.variables ?? []) scrubber.add(name, await host.secret(name));
  return scrubModel(await create(host), scrubber);
}

/**
 * Reads the short form `provider:model`, such as `openai:gpt-5-mini`. The model's name may contain colons
 * (`openai:qwen3:8b`).
 *
 * @param folder absolute path, the base for relative paths in the model's keys
 */
export function parseModelSpec(
  text: string,
  folder: string,
): { readonly spec: ModelSpec } | { readonly problem: string; readonly meant?: readonly string[] } {
  const [, name = text, rest = ''] = /^(.*?):(.*)$/s.exec(text) ?? [];
  // MLflow writes a URI: `openai:/gpt-5-mini`.
  const model = rest.trim().replace(/^\/(?!\/)/, '');
  if (model === '') {
    const problem = `"${text}" is not a model. Write provider:model, such as openai:gpt-5-mini.`;
    return { problem };
  }
  const provider = findProvider(name);
  if (!provider) {
    const known = modelProviders.map((one) => one.provider);
    const near = nearest(name, known);
    const hint =
      near[0] === undefined
        ? `Known providers: ${known.join(', ')}.`
        : `Did you mean "${near[0]}"?`;
    const problem = `Unknown provider "${name}". ${hint} For another endpoint with OpenAI's API, write provider \`openai\` and its \`base_url\` under \`models\`.`;
    return { problem, meant: near.map((one) => `${one}:${model}`) };
  }
  const params = { provider: name, model };
  const { error } = provider.schema.safeParse(params);
  if (error) {
    const problem = `A model from "${name}" needs more than a name. Define it under \`models\`. ${z.prettifyError(error)}`;
    return { problem };
  }
  return { spec: { id: `${name}:${model}`, provider: name, params, folder } };
}

/** Removes secrets from replies and errors, so that they are never judged, stored, or passed on. */
function scrubModel(model: Model, scrubber: Scrubber): Model {
  const { embed } = model;
  const clean = (error: unknown) => {
    throw error instanceof ModelError
      ? new ModelError(error.reason, scrubber.text(error.message))
      : error;
  };
  return {
    id: scrubber.text(model.id),
    async complete(request, count, signal) {
      const [first, ...more] = await model.complete(request, count, signal).catch(clean);
      const scrub = (reply: ModelReply) => scrubReply(reply, request, scrubber);
      return [scrub(first), ...more.map(scrub)];
    },
    ...(embed && { embed: (texts, signal) => embed.call(model, texts, signal).catch(clean) }),
  };
}

function scrubReply(reply: ModelReply, { answer }: ModelRequest, scrubber: Scrubber): ModelReply {
  const clean = scrubber.data(reply);
  if (clean === reply) return reply;
  const text = answer ? scrubber.answer(reply.text, answer.schema) : clean.text;
  return { ...clean, text, unscrubbed: reply };
}

/** Default environment variables for models' API keys. */
export const defaultKeyVariables: readonly string[] = modelProviders.flatMap(
  ({ keyVariables = [] }) => keyVariables,
);

export function keyVariablesOf(model: unknown): string[] {
  const { api_key_env: key, token_env: token } = mappingOf(model);
  return [key, token].filter((named) => typeof named === 'string');
}
