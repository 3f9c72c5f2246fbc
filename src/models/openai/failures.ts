import { APIConnectionError, APIError } from 'openai';
import { errorText } from '../../core/errors.ts';
import type { Scrubber } from '../../core/scrubber.ts';
import { connectionFaultOf, redactUrl, sanitizeText } from '../connectionErrors.ts';
import { retryAfterText } from '../endpoint/requestQueue.ts';
import { ModelError } from '../model.ts';
import type { Attempts } from './guardedFetch.ts';

/** Advice for failures, in terms of a provider. */
export interface Advice {
  /** If nothing answers. */
  readonly unreachable: string;
  /** If the endpoint doesn't have the model. */
  readonly notFound: string;
}

/** What messages about a failure may name. */
export interface FailedEndpoint {
  readonly baseUrl: string;
  readonly model: string;
  /** The variable of its key; absent if it needs none. */
  readonly keyName?: string;
  readonly advice: Advice;
  readonly scrubber: Scrubber;
  /** Milliseconds. */
  readonly timeout: number;
}

/** The endpoint's own words about a refused request. */
export function complaintOf(error: APIError): string {
  return [error.message, error.code ?? '', error.param ?? ''].join(' ');
}

export function isTooLong(error: APIError): boolean {
  return (
    error.status === 413 ||
    /context_length_exceeded|maximum context|context (window|length)|prompt is too long/i.test(
      complaintOf(error),
    )
  );
}

/** The client's error with advice, and without keys. */
export function toModelError(error: unknown, at: FailedEndpoint, attempts: Attempts): ModelError {
  const url = redactUrl(at.baseUrl);
  if (error instanceof APIConnectionError) return unreachableError(error, at);
  if (error instanceof APIError && error.status !== undefined) {
    return statusError(error, error.status, at, attempts);
  }
  const words = sanitizeText(errorText(error), at.scrubber);
  if (error instanceof SyntaxError) {
    return new ModelError(
      'malformed-reply',
      `The endpoint ${url} answered with something other than JSON (${words}). Check that base_url is the address of an OpenAI-compatible API.`,
    );
  }
  return new ModelError(
    'bad-request',
    `The request to ${url} could not be sent (${words}). Check the model's settings${at.keyName ? `, and the API key in ${at.keyName}` : ''}.`,
  );
}

/** There was no response. */
export function unreachableError(error: Error, at: FailedEndpoint): ModelError {
  const { reason, advice = at.advice.unreachable } = connectionFaultOf(error);
  const words = sanitizeText(reason, at.scrubber);
  return new ModelError(
    'unreachable',
    `The endpoint ${redactUrl(at.baseUrl)} cannot be reached (${words}). ${advice}`,
  );
}

/** If earlier attempts couldn't connect, more time wouldn't help. */
export function timeoutError(at: FailedEndpoint, attempts: Attempts): ModelError {
  if (attempts.lastFailure) return unreachableError(attempts.lastFailure, at);
  const last =
    attempts.lastStatus === undefined
      ? ''
      : ` Its last response had status ${attempts.lastStatus}.`;
  return new ModelError(
    'timeout',
    `The endpoint ${redactUrl(at.baseUrl)} did not answer within ${at.timeout} ms.${last} Raise the model's \`timeout\` if it needs longer.`,
  );
}

function statusError(
  error: APIError,
  status: number,
  at: FailedEndpoint,
  attempts: Attempts,
): ModelError {
  const url = redactUrl(at.baseUrl);
  const detail = `(${sanitizeText(error.message, at.scrubber)})`;
  if (isTooLong(error)) {
    return new ModelError(
      'too-long',
      `The request is too long for the model "${at.model}" at ${url} ${detail}. Set the model's \`max_input_tokens\`, or use a model with a larger context window.`,
    );
  }
  switch (status) {
    case 401:
    case 403:
      return new ModelError(
        'unauthorized',
        at.keyName
          ? `The endpoint ${url} refused the key ${detail}. Set a valid key in the environment variable ${at.keyName}, or with the command "Turnlight: Set API Key…" in the editor.`
          : `The endpoint ${url} refused the request ${detail}. Add what it requires to the model's \`headers\`.`,
      );
    case 404:
      return new ModelError(
        'not-found',
        `The endpoint ${url} has no model "${at.model}", or does not serve chat completions ${detail}. ${at.advice.notFound}`,
      );
    case 408:
      return new ModelError(
        'timeout',
        `The endpoint ${url} took too long ${detail}. ${retryAfterAdvice(attempts) ?? 'Try again.'}`,
      );
    case 429: {
      const advice =
        retryAfterAdvice(attempts) ?? "Lower the concurrency, or check your account's quota.";
      return new ModelError(
        'rate-limited',
        `The endpoint ${url} is rate-limited ${detail}. ${advice}`,
      );
    }
    default:
      if (status >= 500 || status === 409) {
        const wait = retryAfterAdvice(attempts);
        return new ModelError(
          'server-error',
          `The endpoint ${url} failed ${detail}${wait ? `. ${wait}` : ', even after retries. Try later, or check its log.'}`,
        );
      }
      return new ModelError(
        'bad-request',
        `The endpoint ${url} refused the request for the model "${at.model}" ${detail}.`,
      );
  }
}

/** Not sent, because of an earlier Retry-After. */
export function retryAfterModelError(at: FailedEndpoint, attempts: Attempts): ModelError {
  return new ModelError(
    'rate-limited',
    `The endpoint ${redactUrl(at.baseUrl)} is rate-limited. ${retryAfterAdvice(attempts)}`,
  );
}

function retryAfterAdvice({ refusedWait }: Attempts): string | undefined {
  return refusedWait === undefined ? undefined : retryAfterText(refusedWait, 'model');
}
