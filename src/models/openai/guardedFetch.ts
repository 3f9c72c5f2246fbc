import { jsonExcess } from '../../core/data/data.ts';
import { IMAGE_TOKENS } from '../../core/image.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { connectionFaultOf, redactUrl } from '../connectionErrors.ts';
import { parseRetryAfter } from '../endpoint/rateLimiter.ts';
import {
  EndpointDownError,
  type RequestQueue,
  RetryAfterError,
  sendQueued,
} from '../endpoint/requestQueue.ts';
import type { TimeLimit } from '../endpoint/timeLimit.ts';
import { ModelError } from '../model.ts';
import type { ImageUrls } from './imageUrls.ts';
import type { StreamReader } from './streaming.ts';

/** Thrown if a reply exceeds a limit. `message` follows `The reply of https://… `. */
export class RejectedReplyError extends Error {
  override readonly name = 'RejectedReplyError';
}

export interface Attempts {
  readonly limit: TimeLimit;
  /** Pauses a target's time limit, if the request is part of its reply. */
  readonly onWait?: TimeLimit['onWait'] | undefined;
  lastStatus?: number | undefined;
  /** Why the last attempt got no response. */
  lastFailure?: Error | undefined;
  /** The images in the request. */
  images: ImageUrls;
  /** Milliseconds from a Retry-After that exceeds the time limit. */
  refusedWait?: number;
}

/** A rough average for English text. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Matches refusals that waiting can't resolve: there is no credit left, or a single request exceeds the limit per
 * minute.
 */
const FINAL_REFUSAL = /insufficient_quota|billing|request too large/i;

/** Response headers that the client reads. The queue handles Retry-After itself. */
const PASSED_HEADERS = ['x-should-retry', 'x-request-id'];

/**
 * A `fetch` for the client that queues requests, and reads the whole body with a size limit: the client's own timeout
 * ends with the headers, and a body may never end. A connection lost while reading the body becomes an error that the
 * client retries. Redirects aren't followed: nobody has allowed the new host to receive the key or the conversation.
 *
 * @param stop ends the request and its retries
 * @param reading creates a reader for a streamed answer, once per attempt
 */
export function guardedFetch(
  queue: RequestQueue,
  attempts: Attempts,
  stop: AbortController,
  reading?: () => StreamReader,
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return async (input, init) => {
    const { limit, onWait } = attempts;
    const text = typeof init?.body === 'string' ? init.body : '';
    const tokens = tokensIn(text, [...attempts.images.values()]);
    const request = { tokens, limit, onWait, signal: stop.signal };
    const send = () => sendOnce(input, init, attempts, stop, reading);
    const { answer, inFlight, refusedWait } = await sendQueued(queue, request, send).catch(
      (error) => {
        if (error instanceof RetryAfterError) attempts.refusedWait = error.wait;
        if (error instanceof EndpointDownError || error instanceof RetryAfterError)
          stop.abort(error);
        throw error;
      },
    );
    inFlight.end();
    const headers = new Headers({ 'content-type': 'application/json' });
    for (const name of PASSED_HEADERS) {
      const value = answer.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    if (parseRetryAfter(answer.headers) !== undefined) headers.set('retry-after-ms', '1');
    // The queue has already waited, and a long Retry-After must not delay a run for a day.
    if (refusedWait !== undefined) attempts.refusedWait = refusedWait;
    if (refusedWait !== undefined || answer.status === 429) headers.set('x-should-retry', 'false');
    return createResponse(answer.bytes, { status: answer.status, headers });
  };
}

function tokensIn(body: string, urls: readonly string[]): number {
  const words = urls.reduce((left, url) => left - url.length, body.length);
  return words / CHARACTERS_PER_TOKEN + urls.length * IMAGE_TOKENS;
}

/** A response whose body has already been read. Using a stream would take longer than the rest of the request. */
function createResponse(body: string | Uint8Array, init: ResponseInit): Response {
  const text = async () => (typeof body === 'string' ? body : new TextDecoder().decode(body));
  const json = async (): Promise<unknown> => JSON.parse(await text());
  return Object.assign(new Response(null, init), { text, json });
}

async function sendOnce(
  input: string | URL | Request,
  init: RequestInit | undefined,
  attempts: Attempts,
  stop: AbortController,
  reading?: () => StreamReader,
) {
  const response = await fetch(input, { ...init, redirect: 'manual' }).catch((error: unknown) => {
    attempts.lastStatus = undefined;
    attempts.lastFailure = error instanceof Error ? error : undefined;
    // Retrying can't fix a TLS error.
    if (error instanceof Error && connectionFaultOf(error).advice !== undefined) stop.abort(error);
    throw error;
  });
  const { status, headers } = response;
  attempts.lastStatus = status;
  attempts.lastFailure = undefined;
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null) {
    const error = redirectError(response.url, location);
    stop.abort(error);
    throw error;
  }
  const isStream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
  const reader = isStream ? reading?.() : undefined;
  if (reader) {
    await readChunks(response, stop, (chunk) => {
      reader.add(chunk);
      if (reader.events > LIMITS.events) {
        abortWith(stop, `has more than ${readable(LIMITS.events)} events and was cut off`);
      }
    });
  }
  const bytes = reader ? reader.body() : await readCapped(response, stop);
  const isFinal = status === 429 && isFinalRefusal(headers, bytes);
  return { status, headers, bytes, isFinal };
}

function isFinalRefusal(headers: Headers, bytes: string | Uint8Array): boolean {
  if (headers.get('x-should-retry') === 'false') return true;
  return FINAL_REFUSAL.test(typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString());
}

function redirectError(from: string, to: string): ModelError {
  const target = URL.canParse(to, from) ? new URL(to, from).href : to;
  const message = `The endpoint ${redactUrl(from)} redirects to ${visibleLine(redactUrl(target), 300)}, where nothing was sent. If you trust that address, set the model's \`base_url\` to it.`;
  return new ModelError('redirected', message);
}

async function readCapped(
  response: Response,
  stop: AbortController,
): Promise<Uint8Array<ArrayBuffer>> {
  let whole: Uint8Array<ArrayBuffer>;
  if (declaresSafeLength(response)) {
    whole = new Uint8Array(await response.arrayBuffer());
  } else {
    const chunks: Uint8Array[] = [];
    await readChunks(response, stop, (chunk) => chunks.push(chunk));
    whole = new Uint8Array(Buffer.concat(chunks));
  }
  const excess = jsonExcess(whole);
  if (excess !== undefined) abortWith(stop, excess);
  return whole;
}

/** Whether the response declares a length that is within the limit and can be trusted. */
function declaresSafeLength({ headers }: Response): boolean {
  const size = headers.get('content-length') ?? '';
  return /^\d+$/.test(size) && Number(size) <= LIMITS.response && !headers.has('content-encoding');
}

/** Reads a stream's chunks. Using `for await` would take several times as long. */
async function readChunks(
  response: Response,
  stop: AbortController,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  const reader = response.body?.getReader();
  let size = 0;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) return;
    size += value.byteLength;
    if (size > LIMITS.response) {
      abortWith(stop, `is larger than ${readable(LIMITS.response)} bytes and was cut off`);
    }
    take(value);
  }
}

function abortWith(stop: AbortController, why: string): never {
  const error = new RejectedReplyError(why);
  stop.abort(error);
  throw error;
}
