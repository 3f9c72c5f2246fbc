import * as z from 'zod';
import { visibleLine } from '../core/text/visibleText.ts';
import { addressSchema, modelDestination, startHintOf } from './destination.ts';
import type { ModelProvider } from './model.ts';
import { endpointKeys, imagesKey } from './openai/params.ts';
import { loadClients } from './openai/provider.ts';

const DEFAULT_ADDRESS = 'http://localhost:11434';
const HOST_VARIABLE = 'OLLAMA_HOST';
const DEFAULT_PORT = '11434';

const ollamaSchema = z.strictObject({
  provider: z.literal('ollama').meta({
    description: 'A model that Ollama serves, usually on this machine; needs no key.',
  }),
  model: z.string().min(1).meta({
    description: "The model's name, as `ollama list` shows it, such as `qwen3:8b`.",
  }),
  base_url: addressSchema.optional().meta({
    description: `Address of the server. Default: the variable \`${HOST_VARIABLE}\`, else \`${DEFAULT_ADDRESS}\`.`,
  }),
  ...endpointKeys,
  images: imagesKey(false),
});

export const ollamaProvider: ModelProvider = {
  provider: 'ollama',
  summary: 'Ollama on this machine',
  schema: ollamaSchema,
  load: loadClients,
  async connect(spec, host) {
    const params = ollamaSchema.parse(spec.params);
    const server = params.base_url ?? addressOf(host.env(HOST_VARIABLE));
    const baseUrl = `${server.replace(/\/(?:v1\/?)?$/, '')}/v1`;
    return {
      destination: modelDestination(spec, baseUrl, [], {
        prefix: 'OLLAMA_',
        isOwnHost: params.base_url === undefined,
      }),
      create: async (host) => {
        const { createOpenAiModel } = await import('./openai/openaiModel.ts');
        const advice = {
          unreachable: startHintOf(baseUrl) ?? 'Check that Ollama is running there.',
          notFound: `Get the model with: ollama pull ${visibleLine(params.model)}`,
        };
        const setup = { id: spec.id, params, baseUrl, isOpenAi: false, advice };
        return createOpenAiModel(setup, { organization: null, project: null }, host);
      },
    };
  },
};

/**
 * Reads the value of Ollama's own variable: `:11500`, `gpu.local`, or a whole address. `0.0.0.0` means this machine.
 */
function addressOf(given: string | undefined): string {
  const text = given?.trim();
  if (!text) return DEFAULT_ADDRESS;
  const address = text.includes('://') ? text : `http://${text.replace(/^:/, 'localhost:')}`;
  if (!URL.canParse(address)) return DEFAULT_ADDRESS;
  const url = new URL(address);
  if (url.hostname === '0.0.0.0') url.hostname = 'localhost';
  if (url.port === '' && !text.includes('://')) url.port = DEFAULT_PORT;
  return url.href.replace(/\/$/, '');
}
