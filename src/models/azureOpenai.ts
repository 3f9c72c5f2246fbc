import * as z from 'zod';
import type { KeyHost } from '../core/environment.ts';
import { addressSchema, modelDestination } from './destination.ts';
import { ModelError, type ModelProvider } from './model.ts';
import { apiKey, endpointKeys, KEY_LOOKUP, variableKey } from './openai/params.ts';
import { loadClients } from './openai/provider.ts';

const ENDPOINT = 'AZURE_OPENAI_ENDPOINT';
const KEY = 'AZURE_OPENAI_API_KEY';
const TOKEN = 'AZURE_OPENAI_AD_TOKEN';
const VERSION = 'OPENAI_API_VERSION';
const DEFAULT_VERSION = '2024-10-21';

const NOT_V1 =
  "Expected the resource's address, such as https://NAME.openai.azure.com. For an address that ends in /v1, use the provider `openai`.";

const azureSchema = z.strictObject({
  provider: z.literal('azure-openai').describe('A deployment of Azure OpenAI.'),
  model: z.string().min(1).describe("The model's name, such as `gpt-5-mini`."),
  deployment: z.string().min(1).optional().meta({
    description: "Name of the model's deployment. Default: `model`.",
  }),
  base_url: addressSchema
    .refine((address) => !/\/v1\/?$/.test(address), NOT_V1)
    .optional()
    .meta({
      description: `Address of the resource, such as \`https://NAME.openai.azure.com\`. Default: the variable \`${ENDPOINT}\`.`,
    }),
  api_version: z
    .string()
    .min(1)
    .optional()
    .meta({
      description: `Version of Azure's API. Default: the variable \`${VERSION}\`, else \`${DEFAULT_VERSION}\`.`,
    }),
  api_key_env: variableKey(KEY_LOOKUP, KEY),
  token_env: variableKey(
    `Name of the variable with an Entra ID token, used instead of a key. Default: \`${TOKEN}\` if no key is set.`,
  ),
  api: apiKey,
  ...endpointKeys,
});

type AzureParams = z.infer<typeof azureSchema>;

export const azureOpenaiProvider: ModelProvider = {
  provider: 'azure-openai',
  summary: 'An Azure OpenAI deployment, with a key or token',
  schema: azureSchema,
  keyVariables: [KEY, TOKEN],
  load: loadClients,
  async connect(spec, host) {
    const params = azureSchema.parse(spec.params);
    const { kind, name, secret } = await credentialOf(params, host);
    const resource = (params.base_url ?? host.env(ENDPOINT) ?? '').trim();
    const baseUrl = `${resource.replace(/\/(?:openai\/?)?$/, '')}/openai`;
    return {
      destination: modelDestination(spec, baseUrl, secret ? [name] : [], {
        prefix: 'AZURE_OPENAI_',
        isOwnHost: params.base_url === undefined,
      }),
      missingKey: secret ? undefined : name,
      create: async (host) => {
        if (!URL.canParse(baseUrl)) {
          const message = `The model "${spec.id}" has no address. Set its \`base_url\`, or the environment variable ${ENDPOINT}, to https://NAME.openai.azure.com.`;
          throw new ModelError('missing-variable', message);
        }
        const { createAzureModel } = await import('./openai/openaiModel.ts');
        const { deployment = params.model } = params;
        const advice = {
          unreachable: "Check the name of the resource in the model's base_url.",
          notFound: `Check that the resource has a deployment "${deployment}", and the model's \`api_version\`.`,
        };
        const apiVersion = params.api_version ?? host.env(VERSION) ?? DEFAULT_VERSION;
        const setup = { id: spec.id, params, baseUrl, isOpenAi: true, keyName: name, advice };
        const access = { deployment, apiVersion, kind, secret: secret ?? '' };
        return createAzureModel(setup, access, host);
      },
    };
  },
};

/** The token that the file specifies; otherwise, the key; otherwise, the token in Azure's own variable. */
async function credentialOf(params: AzureParams, host: KeyHost) {
  const read = async (kind: 'key' | 'token', name: string) => {
    return { kind, name, secret: (await host.secret(name))?.trim() };
  };
  if (params.token_env !== undefined) return read('token', params.token_env);
  const key = await read('key', params.api_key_env ?? KEY);
  if (key.secret || params.api_key_env !== undefined) return key;
  const token = await read('token', TOKEN);
  return token.secret ? token : key;
}
