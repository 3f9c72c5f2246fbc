import * as z from 'zod';
import type { ModelSpec } from '../core/suite.ts';
import type { ModelProvider } from './model.ts';
import { openaiProvider } from './openai/provider.ts';
import { replayProvider } from './replay.ts';

/** Every provider that a file may name. A new one is a file in this folder and its line here. */
export const modelProviders: readonly ModelProvider[] = [openaiProvider, replayProvider];

export function findProvider(provider: string): ModelProvider | undefined {
  return modelProviders.find((one) => one.provider === provider);
}

export type ParsedModel = { readonly spec: ModelSpec } | { readonly problem: string };

/**
 * Reads the short form `provider:model`, such as `openai:gpt-5-mini`. The model's own name may hold
 * colons (`openai:qwen3:8b`).
 *
 * @param folder absolute; where relative paths in the model's keys start
 */
export function parseModelSpec(text: string, folder: string): ParsedModel {
  const colon = text.indexOf(':');
  const name = colon < 0 ? text : text.slice(0, colon);
  const model = colon < 0 ? '' : text.slice(colon + 1).trim();
  const known = modelProviders.map((one) => one.provider).join(', ');
  if (model === '') {
    return {
      problem: `"${text}" names no model. Write provider:model, such as openai:gpt-5-mini.`,
    };
  }
  const provider = findProvider(name);
  if (!provider) {
    return { problem: `"${name}" is no provider of models. Known providers: ${known}.` };
  }
  const params = { provider: name, model };
  const checked = provider.schema.safeParse(params);
  if (!checked.success) {
    return {
      problem: `A model of "${name}" needs more than its name: write it under \`models\` with every key. ${z.prettifyError(checked.error)}`,
    };
  }
  return { spec: { id: text, provider: name, params, folder } };
}
