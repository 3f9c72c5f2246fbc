import { APIError, AzureOpenAI, type ClientOptions, OpenAI } from 'openai';
import type { Logger } from '../../core/logger.ts';
import { digestOf } from '../../node/hashes.ts';
import { redactUrl, sanitizeText } from '../connectionErrors.ts';
import { Endpoints } from '../endpoint/endpoints.ts';
import { EndpointDownError, type RequestQueue, RetryAfterError } from '../endpoint/requestQueue.ts';
import { NO_TIME_LIMIT, rejectOnAbort, TimeLimit } from '../endpoint/timeLimit.ts';
import {
  type Embeddings,
  type Model,
  ModelError,
  type ModelHost,
  type ModelReply,
  type ModelRequest,
  type Replies,
} from '../model.ts';
import {
  type Abilities,
  abilitiesOf,
  answerFormatFor,
  hasFormatChoice,
  learn,
  saveAbilities,
  type UsedParameters,
} from './abilities.ts';
import type { Api, RequestOptions } from './api.ts';
import { chatApi, readEmbeddings } from './chatApi.ts';
import {
  CHECK_API,
  complaintOf,
  type FailedEndpoint,
  isTooLong,
  retryAfterModelError,
  timeoutError,
  toModelError,
  unreachableError,
} from './failures.ts';
import { type Attempts, guardedFetch, RejectedReplyError } from './guardedFetch.ts';
import { type ImageUrls, imageUrlsOf } from './imageUrls.ts';
import { type Account, DEFAULT_TIMEOUT, type EndpointParams } from './params.ts';
import { responsesApi } from './responsesApi.ts';
import { type Collector, StreamReader } from './streaming.ts';

/** Maximum number of retries. The client waits about 0.5, 1, and 2 s before them, unless there is a Retry-After. */
const RETRIES = 3;

/** `AzureOpenAI` has no `provider`. */
type CommonOptions = Omit<ClientOptions, 'provider'>;

interface OpenAiSetup extends Omit<FailedEndpoint, 'model'> {
  readonly id: string;
  readonly params: EndpointParams;
  /** Whether the endpoint serves OpenAI's own models. */
  readonly isOpenAi: boolean;
  readonly makeClient: (options: CommonOptions) => OpenAI;
  readonly log: Logger;
  readonly queue: RequestQueue;
}

/** The key in its options under which the client passes a request's own `fetch`. */
const OWN_FETCH = Symbol('fetch');

const fetchOfRequest: NonNullable<ClientOptions['fetch']> = (input, init) => {
  const { [OWN_FETCH]: own, ...rest } = init as Record<symbol, typeof fetchOfRequest>;
  if (!own) throw new Error('Internal error: a request has no fetch.');
  return own(input, rest);
};

class OpenAiModel implements Model {
  readonly id: string;
  readonly #setup: OpenAiSetup;
  readonly #api: Api;
  readonly #notedFinishes = new Set<string>();

  #cachedClient: OpenAI | undefined;

  constructor(setup: OpenAiSetup) {
    this.id = setup.id;
    this.#setup = setup;
    this.#api = setup.params.api === 'responses' ? responsesApi : chatApi;
  }

  /** Completes a request. Sends one request per answer if the endpoint doesn't support `n`. */
  async complete(request: ModelRequest, count: number, signal: AbortSignal): Promise<Replies> {
    const replies: [ModelReply, ...ModelReply[]] = [
      ...(await this.#completeUpTo(request, count, signal)),
    ];
    while (replies.length < count) {
      replies.push(...(await this.#completeUpTo(request, count - replies.length, signal)));
    }
    return replies;
  }

  /** @param most the maximum number of answers; the endpoint may return fewer */
  async #completeUpTo(request: ModelRequest, most: number, signal: AbortSignal): Promise<Replies> {
    const images = await imageUrlsOf(request);
    const body = await this.#withTimeLimit(
      signal,
      request.onWait,
      (attempts, stop) => this.#complete(request, most, attempts, stop),
      images,
    );
    const { price } = this.#setup.params;
    const read = this.#api.read(body, price, (reason) => this.#noteFinish(reason));
    const [first, ...rest] = this.#read(read);
    if (!first) throw new Error('Internal error: a reply without choices was accepted.');
    const { format } = abilitiesOf(this.#endpointFor(request));
    const added = hasFormatChoice(request, this.#setup) && { answerFormat: format };
    const withFormat = (reply: ModelReply) => ({ ...reply, ...added });
    return [withFormat(first), ...rest.slice(0, most - 1).map(withFormat)];
  }

  #endpointFor(request: ModelRequest) {
    const { baseUrl, params, isOpenAi } = this.#setup;
    const format = answerFormatFor(request, this.#setup);
    return { baseUrl, model: params.model, isOpenAi, format };
  }

  #noteFinish(reason: string): void {
    if (this.#notedFinishes.has(reason)) return;
    this.#notedFinishes.add(reason);
    const words = sanitizeText(reason, this.#setup.scrubber);
    this.#setup.log.warn(`${this.id} ended a reply with the unknown finish_reason "${words}".`);
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<Embeddings> {
    const { model, price } = this.#setup.params;
    const body = await this.#withTimeLimit(signal, undefined, (attempts, stop) =>
      this.#client.embeddings.create(
        { model, input: [...texts], encoding_format: 'float' },
        this.#requestOptions(attempts, stop),
      ),
    );
    return this.#read(readEmbeddings(body, texts.length, price));
  }

  async #withTimeLimit<Body>(
    signal: AbortSignal,
    onWait: ModelRequest['onWait'],
    ask: (attempts: Attempts, stop: AbortController) => Promise<Body>,
    images: ImageUrls = new Map(),
  ): Promise<Body> {
    signal.throwIfAborted();
    const { timeout } = this.#setup;
    const stop = new AbortController();
    const limit = new TimeLimit(timeout, () => stop.abort(timeoutError(this.#endpoint, attempts)));
    const attempts: Attempts = { limit, onWait, images };
    const forward = () => stop.abort(signal.reason);
    signal.addEventListener('abort', forward, { once: true });
    try {
      // The client doesn't notice an abort while it is waiting to retry.
      return await Promise.race([ask(attempts, stop), rejectOnAbort(stop.signal)]);
    } catch (error) {
      const explained = this.#explain(error, attempts, stop.signal);
      if (isEndpointFailure(explained)) {
        this.#setup.queue.onFailure(explained.message, explained.reason !== 'unreachable');
      }
      throw explained;
    } finally {
      limit.end();
      signal.removeEventListener('abort', forward);
    }
  }

  get #endpoint(): FailedEndpoint {
    return { ...this.#setup, model: this.#setup.params.model };
  }

  /** Repeats the request without parameters that the endpoint refuses. */
  async #complete(
    request: ModelRequest,
    count: number,
    attempts: Attempts,
    stop: AbortController,
  ): Promise<unknown> {
    const endpoint = this.#endpointFor(request);
    for (;;) {
      const abilities = abilitiesOf(endpoint);
      const prepared = this.#api.prepare(
        request,
        this.#setup.params,
        abilities,
        count,
        attempts.images,
      );
      try {
        const options = this.#requestOptions(attempts, stop, prepared.collect);
        return await prepared.send(this.#client, options);
      } catch (error) {
        const better = this.#learnFrom(error, prepared.used, abilities);
        if (!better) throw error;
        saveAbilities(endpoint, better);
      }
    }
  }

  #learnFrom(error: unknown, used: UsedParameters, sent: Abilities): Abilities | undefined {
    if (!(error instanceof APIError) || isTooLong(error)) return undefined;
    if (error.status !== 400 && error.status !== 422) return undefined;
    const { isOpenAi, scrubber, log } = this.#setup;
    const better = learn(complaintOf(error), sent, used, isOpenAi);
    if (!better) return undefined;
    const words = sanitizeText(error.message, scrubber);
    log.warn(`${this.id} refused a parameter (${words}); retrying with ${JSON.stringify(better)}.`);
    return better;
  }

  /** The client that all requests share, because creating one is slow. */
  get #client(): OpenAI {
    const { makeClient, params } = this.#setup;
    this.#cachedClient ??= makeClient({
      adminAPIKey: null,
      defaultHeaders: params.headers ?? {},
      maxRetries: RETRIES,
      // Turnlight's own time limit includes reading the body, and pauses in the queue.
      timeout: NO_TIME_LIMIT,
      fetch: fetchOfRequest,
      logLevel: 'off',
    });
    return this.#cachedClient;
  }

  /** Each request has a `fetch` with its own time limit. */
  #requestOptions(
    attempts: Attempts,
    stop: AbortController,
    collect?: () => Collector,
  ): RequestOptions {
    const reading = collect && (() => new StreamReader(collect()));
    const fetchOnce = guardedFetch(this.#setup.queue, attempts, stop, reading);
    return { signal: stop.signal, fetchOptions: { [OWN_FETCH]: fetchOnce } as object };
  }

  #read<Reply extends object>(read: Reply | { readonly malformed: string }): Reply {
    if (!('malformed' in read)) return read;
    const words = sanitizeText(read.malformed, this.#setup.scrubber);
    throw this.#malformedError(`cannot be used: ${words}`);
  }

  #malformedError(what: string): ModelError {
    const message = `The reply from ${redactUrl(this.#setup.baseUrl)} ${what}. ${CHECK_API}`;
    return new ModelError('malformed-reply', message);
  }

  #explain(error: unknown, attempts: Attempts, stopped: AbortSignal): unknown {
    if (stopped.reason instanceof EndpointDownError) {
      return new ModelError('endpoint-down', stopped.reason.message);
    }
    if (stopped.aborted && stopped.reason === attempts.lastFailure) {
      return unreachableError(stopped.reason, this.#endpoint);
    }
    if (stopped.reason instanceof RetryAfterError) {
      return retryAfterModelError(this.#endpoint, attempts);
    }
    if (stopped.reason instanceof RejectedReplyError) {
      return this.#malformedError(stopped.reason.message);
    }
    if (stopped.aborted) return stopped.reason;
    if (error instanceof ModelError) return error;
    return toModelError(error, this.#endpoint, attempts);
  }
}

/** Whether the endpoint caused the error, rather than this particular request. */
function isEndpointFailure(error: unknown): error is ModelError {
  return (
    error instanceof ModelError &&
    ['unreachable', 'server-error', 'rate-limited'].includes(error.reason)
  );
}

/** Placeholder key: local servers don't need a key, but the client requires one. */
const NO_KEY = 'no-key';

type ModelDescription = Omit<OpenAiSetup, 'makeClient' | 'scrubber' | 'log' | 'timeout' | 'queue'>;

/** A model whose key is sent as `Authorization: Bearer`, if any. */
export function createOpenAiModel(
  model: ModelDescription,
  { key, ...account }: Account & { readonly key?: string | undefined },
  host: ModelHost,
): OpenAiModel {
  return createModelWith(model, host, { key, ...account }, (options) => {
    return new OpenAI({ ...options, ...account, baseURL: model.baseUrl, apiKey: key || NO_KEY });
  });
}

interface AzureAccess {
  readonly deployment: string;
  readonly apiVersion: string;
  /** How the key is sent: a key as `api-key`, or an Entra ID token as `Authorization`. */
  readonly kind: 'key' | 'token';
  readonly secret: string;
}

export function createAzureModel(
  model: ModelDescription,
  access: AzureAccess,
  host: ModelHost,
): OpenAiModel {
  const { deployment, apiVersion, kind, secret } = access;
  const own = { baseURL: model.baseUrl, organization: null, project: null };
  return createModelWith(model, host, access, (options) => {
    return new AzureOpenAI({
      ...options,
      ...own,
      deployment,
      apiVersion,
      // Without the empty key, the client would read one from the environment.
      ...(kind === 'key'
        ? { apiKey: secret }
        : { apiKey: '', azureADTokenProvider: async () => secret }),
    });
  });
}

function createModelWith(
  model: ModelDescription,
  { scrubber, log, endpoints = new Endpoints(log) }: ModelHost,
  account: object,
  makeClient: (options: CommonOptions) => OpenAI,
): OpenAiModel {
  const { headers = {}, timeout = DEFAULT_TIMEOUT } = model.params;
  scrubber.addSecretsOf(headers);
  const queue = endpoints.queueFor({
    url: model.baseUrl,
    account: digestOf({ ...account, headers }),
    name: model.params.model,
  });
  return new OpenAiModel({ ...model, makeClient, scrubber, log, timeout, queue });
}
