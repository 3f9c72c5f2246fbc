import { isSecretName } from '../../core/scrubber.ts';
import type { ModelSpec } from '../../core/suite.ts';
import { type KeyHost, ModelError, type ModelProvider } from '../model.ts';
import { type Account, DEFAULT_TIMEOUT, openaiSchema } from './params.ts';

const OPENAI = 'https://api.openai.com/v1';
const KEY_VARIABLE = 'OPENAI_API_KEY';
const ORGANIZATION = 'OPENAI_ORG_ID';
const PROJECT = 'OPENAI_PROJECT_ID';

/** Local servers want no key, but the client wants one to send. */
const NO_KEY = 'no-key';

export const openaiProvider: ModelProvider = {
  provider: 'openai',
  summary: 'OpenAI, or any endpoint that speaks its Chat Completions (`base_url`)',
  schema: openaiSchema,
  keyVariable: KEY_VARIABLE,
  async destination(spec, host) {
    const { params, baseUrl, keyName, key, account } = await setupOf(spec, host);
    const variables = [
      ...(key ? [keyName] : []),
      ...(account.organization ? [ORGANIZATION] : []),
      ...(account.project ? [PROJECT] : []),
      ...(spec.sends ?? []),
    ];
    const usual = params.base_url === undefined || isOpenAi(baseUrl) || spec.ownAddress === true;
    return { url: baseUrl, variables: [...new Set(variables)], usual };
  },
  async create(spec, host) {
    const { params, baseUrl, keyName, key, account } = await setupOf(spec, host);
    // An endpoint of one's own needs none, unless the file names one.
    if (!key && (baseUrl === OPENAI || params.api_key_env !== undefined)) {
      throw missingKey(spec.id, keyName);
    }
    for (const [name, value] of Object.entries(params.headers ?? {})) {
      if (isSecretName(name)) host.scrubber.add(name, value);
    }
    // The client takes 4 ms to load, and a run from a recording never needs it.
    const { OpenAiModel } = await import('./openaiModel.ts');
    return new OpenAiModel({
      id: spec.id,
      params,
      baseUrl,
      isOpenAi: baseUrl === OPENAI,
      keyName,
      key: key || NO_KEY,
      scrubber: host.scrubber,
      timeout: params.timeout ?? DEFAULT_TIMEOUT,
      account,
      log: host.log,
    });
  },
};

const NO_ACCOUNT: Account = { organization: null, project: null };

/** What a model is asked with. */
async function setupOf(spec: ModelSpec, host: KeyHost) {
  const params = openaiSchema.parse(spec.params);
  const keyName = params.api_key_env ?? KEY_VARIABLE;
  const key = (await host.secret(keyName))?.trim();
  const baseUrl = params.base_url ?? host.env('OPENAI_BASE_URL') ?? OPENAI;
  const account = params.base_url === undefined ? accountOf(host) : NO_ACCOUNT;
  return { params, baseUrl, keyName, key, account };
}

function accountOf(host: KeyHost): Account {
  return { organization: host.env(ORGANIZATION) ?? null, project: host.env(PROJECT) ?? null };
}

function isOpenAi(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).origin === new URL(OPENAI).origin;
}

function missingKey(id: string, keyName: string): ModelError {
  return new ModelError(
    'missing-key',
    `The API key ${keyName} is not set, and the model "${id}" needs it. Run the command "Turnlight: Set API Key…" in the editor, or set the environment variable.`,
  );
}
