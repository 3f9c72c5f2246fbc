import { ModelError, type ModelHost, type ModelProvider } from '../model.ts';
import { type Account, openaiSchema } from './params.ts';

const OPENAI = 'https://api.openai.com/v1';
const DEFAULT_TIMEOUT = 120_000;

/** Local servers want no key, but the client wants one to send. */
const NO_KEY = 'no-key';

export const openaiProvider: ModelProvider = {
  provider: 'openai',
  summary: 'OpenAI, or any endpoint that speaks its Chat Completions (`base_url`)',
  schema: openaiSchema,
  async create(spec, host) {
    const params = openaiSchema.parse(spec.params);
    const keyName = params.api_key_env ?? 'OPENAI_API_KEY';
    const key = (await host.secret(keyName))?.trim();
    const baseUrl = params.base_url ?? host.env('OPENAI_BASE_URL') ?? OPENAI;
    if (!key && baseUrl === OPENAI) throw missingKey(spec.id, keyName);
    // The client takes 4 ms to load, and a run from a recording never needs it.
    const { OpenAiModel } = await import('./openaiModel.ts');
    return new OpenAiModel({
      id: spec.id,
      params,
      baseUrl,
      isOpenAi: baseUrl === OPENAI,
      keyName,
      key: key || NO_KEY,
      secrets: [...(key ? [key] : []), ...Object.values(params.headers ?? {})],
      timeout: params.timeout ?? DEFAULT_TIMEOUT,
      account: params.base_url === undefined ? accountOf(host) : NO_ACCOUNT,
      log: host.log,
    });
  },
};

const NO_ACCOUNT: Account = { organization: null, project: null };

function accountOf(host: ModelHost): Account {
  return {
    organization: host.env('OPENAI_ORG_ID') ?? null,
    project: host.env('OPENAI_PROJECT_ID') ?? null,
  };
}

function missingKey(id: string, keyName: string): ModelError {
  return new ModelError(
    'missing-key',
    `The model "${id}" needs a key and none is set. Set the environment variable ${keyName}, or run the command "Turnlight: Set API Key" in the editor.`,
  );
}
