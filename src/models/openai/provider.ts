import { type KeyHost, OPENAI_KEY } from '../../core/environment.ts';
import { isSecretName } from '../../core/scrubber.ts';
import type { ModelProvider } from '../model.ts';
import { type Account, DEFAULT_TIMEOUT, openaiSchema } from './params.ts';

const OPENAI = 'https://api.openai.com/v1';
const ORGANIZATION = 'OPENAI_ORG_ID';
const PROJECT = 'OPENAI_PROJECT_ID';

/** Local servers want no key, but the client wants one to send. */
const NO_KEY = 'no-key';

export const openaiProvider: ModelProvider = {
  provider: 'openai',
  summary: 'OpenAI, or any endpoint that speaks its Chat Completions (`base_url`)',
  schema: openaiSchema,
  keyVariable: OPENAI_KEY,
  async connect(spec, host) {
    const params = openaiSchema.parse(spec.params);
    const keyName = params.api_key_env ?? OPENAI_KEY;
    const key = (await host.secret(keyName))?.trim();
    const baseUrl = params.base_url ?? host.env('OPENAI_BASE_URL') ?? OPENAI;
    const isOpenAi = URL.canParse(baseUrl) && new URL(baseUrl).origin === new URL(OPENAI).origin;
    const account = params.base_url === undefined ? accountOf(host) : NO_ACCOUNT;
    const variables = [
      ...(key ? [keyName] : []),
      ...(account.organization ? [ORGANIZATION] : []),
      ...(account.project ? [PROJECT] : []),
      ...(spec.sends ?? []),
    ];
    // An endpoint of one's own needs no key, unless the file names one.
    const needsKey = isOpenAi || params.api_key_env !== undefined;
    return {
      destination: {
        url: baseUrl,
        variables: [...new Set(variables)],
        usual: params.base_url === undefined || isOpenAi || spec.ownAddress === true,
      },
      missingKey: needsKey && !key ? keyName : undefined,
      create: async ({ scrubber, log }) => {
        for (const [name, value] of Object.entries(params.headers ?? {})) {
          if (isSecretName(name)) scrubber.add(name, value);
        }
        // The client takes 4 ms to load, and a run from a recording never needs it.
        const { OpenAiModel } = await import('./openaiModel.ts');
        return new OpenAiModel({
          id: spec.id,
          params,
          baseUrl,
          isOpenAi,
          keyName,
          key: key || NO_KEY,
          scrubber,
          timeout: params.timeout ?? DEFAULT_TIMEOUT,
          account,
          log,
        });
      },
    };
  },
};

const NO_ACCOUNT: Account = { organization: null, project: null };

function accountOf(host: KeyHost): Account {
  return { organization: host.env(ORGANIZATION) ?? null, project: host.env(PROJECT) ?? null };
}
