import { jsonExcess } from '../../core/data/data.ts';
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
import type { StreamReader } from './streaming.ts';

/** A reply that is not read; its message goes after `The reply of https://… `. */
export class RejectedReplyError extends Error {
  override readonly name = 'UnreadReply';
}

/** What the attempts of one request have met so far. */
export interface Attempts {
  /** Of the whole request. */
  readonly limit: TimeLimit;
  /** That of a target, where the request is for its reply. */
  readonly onWait?: TimeLimit['onWait'] | undefined;
  lastStatus?: number | undefined;
  /** Why there was no response, if there was none to the last attempt. */
  lastFailure?: Error | undefined;
  /** Milliseconds that the endpoint asked to wait, where the limit does not allow it. */
  refusedWait?: number;
}

/** Of English, roughly. */
const CHARACTERS_PER_TOKEN = 4;

/** A refusal that no waiting turns: no credit is left, or one request is more than a minute allows. */
const FINAL_REFUSAL = /insufficient_quota|billing|request too large/i;

/** What of a response's headers the client reads. The waits that endpoints ask for are waited for in line. */
const PASSED_HEADERS = ['x-should-retry', 'x-request-id'];

/**
 * A `fetch` for the client that waits in line, and reads the whole body itself, with a cap: the client's
 * own time-out ends with the headers, and a body may trickle or pour for ever. A connection lost within the
 * body also becomes an error that the client retries. Nobody is followed elsewhere: neither the key nor the
 * conversation is for a host that nobody named.
 *
 * @param stop ends the request for good: the client retries nothing after it
 * @param reading of each attempt, where the answer may be a stream
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
    const request = {
      tokens: text.length / CHARACTERS_PER_TOKEN,
      limit,
      onWait,
      signal: stop.signal,
    };
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
    // Retry-After: 86400 must not hold a run for a day; and what is refused in line stays refused.
    if (refusedWait !== undefined) attempts.refusedWait = refusedWait;
    if (refusedWait !== undefined || answer.status === 429) headers.set('x-should-retry', 'false');
    return createResponse(answer.bytes, { status: answer.status, headers });
  };
}

/** A response whose body is there already: a stream of it would take longer than all else of a request. */
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
    // What is wrong with encryption is wrong in a second as well.
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
  const bytes =
    isStream && reading
      ? await readStream(response, stop, reading())
      : await readCapped(response, stop);
  const isFinal = status === 429 && isFinalRefusal(headers, bytes);
  return { status, headers, bytes, isFinal };
}

function isFinalRefusal(headers: Headers, bytes: string | Uint8Array): boolean {
  if (headers.get('x-should-retry') === 'false') return true;
  return FINAL_REFUSAL.test(typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString());
}

function redirectError(from: string, to: string): ModelError {
  const target = URL.canParse(to, from) ? new URL(to, from).href : to;
  return new ModelError(
    'redirected',
    `The endpoint ${redactUrl(from)} redirects to ${visibleLine(redactUrl(target), 300)}, where nothing was sent. If you trust that address, set the model's \`base_url\` to it.`,
  );
}

async function readCapped(
  response: Response,
  stop: AbortController,
): Promise<Uint8Array<ArrayBuffer>> {
  const whole = declaresSafeLength(response)
    ? new Uint8Array(await response.arrayBuffer())
    : await readAllChunks(response, stop);
  const excess = jsonExcess(whole);
  if (excess !== undefined) abortWith(stop, excess);
  return whole;
}

/** Whether it cannot be longer than it says, and says that it is within the limit. */
function declaresSafeLength({ headers }: Response): boolean {
  const size = headers.get('content-length') ?? '';
  return /^\d+$/.test(size) && Number(size) <= LIMITS.response && !headers.has('content-encoding');
}

async function readAllChunks(
  response: Response,
  stop: AbortController,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  await readChunks(response, stop, (chunk) => chunks.push(chunk));
  return new Uint8Array(Buffer.concat(chunks));
}

async function readStream(
  response: Response,
  stop: AbortController,
  reading: StreamReader,
): Promise<string> {
  await readChunks(response, stop, (chunk) => reading.add(chunk));
  return reading.body();
}

/** By its reader: to go through a stream with `for await` takes several times as long. */
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
