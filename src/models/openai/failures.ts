import { APIConnectionError, APIError } from 'openai';
import { errorText } from '../../core/errors.ts';
import type { Scrubber } from '../../core/scrubber.ts';
import { connectionFaultOf, redactUrl, sanitizeText } from '../connectionErrors.ts';
import { retryAfterText } from '../endpoint/requestQueue.ts';
import { ModelError } from '../model.ts';
import type { Attempts } from './guardedFetch.ts';

/** Appended to messages about replies in an unexpected format. */
export const CHECK_API = 'Check that base_url is the address of an OpenAI-compatible API.';

export interface FailedEndpoint {
  readonly baseUrl: string;
  readonly model: string;
  /** The name of the variable for the key; absent if no key is needed. */
  readonly keyName?: string;
  /** Advice for failures, in the provider's terms. */
  readonly advice: { readonly unreachable: string; readonly notFound: string };
  readonly scrubber: Scrubber;
  /** Milliseconds. */
  readonly timeout: number;
}

export function complaintOf(error: APIError): string {
  return [error.message, error.code ?? '', error.param ?? ''].join(' ');
}

const TOO_LONG =
  /context_length_exceeded|maximum context|context (window|length)|prompt is too long/i;

export function isTooLong(error: APIError): boolean {
  return error.status === 413 || TOO_LONG.test(complaintOf(error));
}

/** Adds advice to the client's error, and removes keys from it. */
export function toModelError(error: unknown, at: FailedEndpoint, attempts: Attempts): ModelError {
  const url = redactUrl(at.baseUrl);
  if (error instanceof APIConnectionError) return unreachableError(error, at);
  if (error instanceof APIError && error.status !== undefined) {
    return statusError(error, error.status, at, attempts);
  }
  const words = sanitizeText(errorText(error), at.scrubber);
  if (error instanceof SyntaxError) {
    const message = `The endpoint ${url} answered with something other than JSON (${words}). ${CHECK_API}`;
    return new ModelError('malformed-reply', message);
  }
  const key = at.keyName ? `, and the API key in ${at.keyName}` : '';
  const message = `The request to ${url} could not be sent (${words}). Check the model's settings${key}.`;
  return new ModelError('bad-request', message);
}

export function unreachableError(error: Error, at: FailedEndpoint): ModelError {
  const { reason, advice = at.advice.unreachable } = connectionFaultOf(error);
  const words = sanitizeText(reason, at.scrubber);
  const message = `The endpoint ${redactUrl(at.baseUrl)} cannot be reached (${words}). ${advice}`;
  return new ModelError('unreachable', message);
}

/** If earlier attempts couldn't connect at all, a longer timeout wouldn't help. */
export function timeoutError(at: FailedEndpoint, attempts: Attempts): ModelError {
  const { lastFailure, lastStatus } = attempts;
  if (lastFailure) return unreachableError(lastFailure, at);
  const last = lastStatus === undefined ? '' : ` Its last response had status ${lastStatus}.`;
  const message = `The endpoint ${redactUrl(at.baseUrl)} did not answer within ${at.timeout} ms.${last} Raise the model's \`timeout\` if it needs longer.`;
  return new ModelError('timeout', message);
}

const IMAGES_SENT =
  'The request has images. If the model takes none, set its `images` to false under `models`.';

function statusError(
  error: APIError,
  status: number,
  at: FailedEndpoint,
  attempts: Attempts,
): ModelError {
  const endpoint = `The endpoint ${redactUrl(at.baseUrl)}`;
  const detail = `(${sanitizeText(error.message, at.scrubber)})`;
  const wait = retryAfterAdvice(attempts);
  const images = attempts.images.size === 0 ? '' : ` ${IMAGES_SENT}`;
  if (isTooLong(error)) {
    const message = `The request is too long for the model "${at.model}" at ${redactUrl(at.baseUrl)} ${detail}. Set the model's \`max_input_tokens\`, or use a model with a larger context window.`;
    return new ModelError('too-long', message);
  }
  if (status === 401 || status === 403) {
    const message = at.keyName
      ? `${endpoint} refused the key ${detail}. Set a valid key in the environment variable ${at.keyName}, or with the command "Turnlight: Set API Key…" in the editor.`
      : `${endpoint} refused the request ${detail}. Add what it requires to the model's \`headers\`.`;
    return new ModelError('unauthorized', message);
  }
  if (status === 404) {
    const message = `${endpoint} has no model "${at.model}", or does not serve chat completions ${detail}. ${at.advice.notFound}${images}`;
    return new ModelError('not-found', message);
  }
  if (status === 408) {
    const message = `${endpoint} took too long ${detail}. ${wait ?? 'Try again.'}`;
    return new ModelError('timeout', message);
  }
  if (status === 429) {
    const advice = wait ?? "Lower the concurrency, or check your account's quota.";
    return new ModelError('rate-limited', `${endpoint} is rate-limited ${detail}. ${advice}`);
  }
  if (status >= 500 || status === 409) {
    const advice = wait ? `. ${wait}` : ', even after retries. Try again later, or check its log.';
    return new ModelError('server-error', `${endpoint} failed ${detail}${advice}${images}`);
  }
  const message = `${endpoint} refused the request for the model "${at.model}" ${detail}.${images}`;
  return new ModelError('bad-request', message);
}

/** The error for a request that wasn't sent because of an earlier Retry-After. */
export function retryAfterModelError(at: FailedEndpoint, attempts: Attempts): ModelError {
  const message = `The endpoint ${redactUrl(at.baseUrl)} is rate-limited. ${retryAfterAdvice(attempts)}`;
  return new ModelError('rate-limited', message);
}

function retryAfterAdvice({ refusedWait }: Attempts): string | undefined {
  return refusedWait === undefined ? undefined : retryAfterText(refusedWait, 'model');
}
