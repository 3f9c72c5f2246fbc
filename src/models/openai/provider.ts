import { OPENAI_KEY } from '../../core/environment.ts';
import { modelDestination, startHintOf } from '../destination.ts';
import type { ModelProvider } from '../model.ts';
import { openaiSchema } from './params.ts';

const OPENAI = 'https://api.openai.com/v1';
const ORGANIZATION = 'OPENAI_ORG_ID';
const PROJECT = 'OPENAI_PROJECT_ID';

export const openaiProvider: ModelProvider = {
  provider: 'openai',
  summary: 'OpenAI, or any endpoint with its Chat Completions or Responses API (`base_url`)',
  schema: openaiSchema,
  keyVariables: [OPENAI_KEY],
  load: loadClients,
  async connect(spec, host) {
    const params = openaiSchema.parse(spec.params);
    const keyName = params.api_key_env ?? OPENAI_KEY;
    const key = (await host.secret(keyName))?.trim();
    const baseUrl = params.base_url ?? host.env('OPENAI_BASE_URL') ?? OPENAI;
    const isOpenAi = URL.canParse(baseUrl) && new URL(baseUrl).origin === new URL(OPENAI).origin;
    const own = (name: string) => (params.base_url === undefined ? (host.env(name) ?? null) : null);
    const account = { organization: own(ORGANIZATION), project: own(PROJECT) };
    const keys = [
      ...(key ? [keyName] : []),
      ...(account.organization ? [ORGANIZATION] : []),
      ...(account.project ? [PROJECT] : []),
    ];
    const isOwnHost = params.base_url === undefined || isOpenAi;
    // Other endpoints need a key only if the file names a variable for one.
    const needsKey = isOpenAi || params.api_key_env !== undefined;
    return {
      destination: modelDestination(spec, baseUrl, keys, { prefix: 'OPENAI_', isOwnHost }),
      missingKey: needsKey && !key ? keyName : undefined,
      create: async (host) => {
        const { createOpenAiModel } = await import('./openaiModel.ts');
        const advice = {
          unreachable:
            startHintOf(baseUrl) ?? "Check that it is running, and the model's base_url.",
          notFound: 'Check `model`, and `base_url`, which usually ends in /v1.',
        };
        const setup = { id: spec.id, params, baseUrl, isOpenAi, keyName, advice };
        return createOpenAiModel(setup, { key, ...account }, host);
      },
    };
  },
};

/** Loads the clients and Node's `fetch`, which Node otherwise loads when one of its classes is first used. */
export function loadClients(): Promise<unknown> {
  new Headers();
  return import('./openaiModel.ts');
}
