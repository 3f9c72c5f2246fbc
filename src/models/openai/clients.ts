import { AzureOpenAI, OpenAI } from 'openai';
import { digestOf } from '../../core/data/digest.ts';
import { Endpoints } from '../endpoint/endpoints.ts';
import type { ModelHost } from '../model.ts';
import { type CommonOptions, OpenAiModel, type OpenAiSetup } from './openaiModel.ts';
import { type Account, DEFAULT_TIMEOUT } from './params.ts';

/** Local servers want no key, but the client wants one to send. */
const NO_KEY = 'no-key';

/** What a provider says of a model. */
type Described = Omit<OpenAiSetup, 'makeClient' | 'scrubber' | 'log' | 'timeout' | 'line'>;

/** A model at an address that takes a key as `Authorization: Bearer`, or none. */
export function createOpenAiModel(
  model: Described,
  { key, ...account }: Account & { readonly key?: string | undefined },
  host: ModelHost,
): OpenAiModel {
  return modelBy(model, host, { key, ...account }, (options) => {
    return new OpenAI({ ...options, ...account, baseURL: model.baseUrl, apiKey: key || NO_KEY });
  });
}

export interface AzureAccess {
  readonly deployment: string;
  readonly apiVersion: string;
  /** A key goes into the header `api-key`, a token of Entra ID into `Authorization`. */
  readonly kind: 'key' | 'token';
  readonly secret: string;
}

export function createAzureModel(
  model: Described,
  access: AzureAccess,
  host: ModelHost,
): OpenAiModel {
  const { deployment, apiVersion, kind, secret } = access;
  const own = { baseURL: model.baseUrl, organization: null, project: null };
  return modelBy(model, host, access, (options) => {
    return new AzureOpenAI({
      ...options,
      ...own,
      deployment,
      apiVersion,
      // Without the empty key the client would look for one in the environment.
      ...(kind === 'key'
        ? { apiKey: secret }
        : { apiKey: '', azureADTokenProvider: async () => secret }),
    });
  });
}

/** @param account what tells this caller of the endpoint from others */
function modelBy(
  model: Described,
  { scrubber, log, endpoints = new Endpoints(log) }: ModelHost,
  account: object,
  makeClient: (options: CommonOptions) => OpenAI,
): OpenAiModel {
  const { headers = {}, timeout = DEFAULT_TIMEOUT } = model.params;
  scrubber.addSecretsOf(headers);
  const line = endpoints.line({
    url: model.baseUrl,
    account: digestOf({ ...account, headers }),
    name: model.params.model,
  });
  return new OpenAiModel({ ...model, makeClient, scrubber, log, timeout, line });
}
