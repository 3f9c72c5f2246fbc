import { isTooDeep } from '../../core/data/data.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import { visibleLine } from '../../core/presentation/visibleText.ts';
import { ModelError } from '../model.ts';
import { askedWait } from '../retryAfter.ts';
import { shownUrl } from '../shownWords.ts';
import type { StreamReading } from './streamed.ts';

/** A reply that is not read; its message goes after `The reply of https://… `. */
export class UnreadReply extends Error {
  override readonly name = 'UnreadReply';
}

/** What the attempts of one request have met so far. */
export interface Attempts {
  /** When the whole request ends, as of `performance.now()`: clocks are set. */
  readonly deadline: number;
  lastStatus?: number | undefined;
  /** Why there was no response, if there was none to the last attempt. */
  lastFailure?: Error | undefined;
  /** Milliseconds that the endpoint asked to wait, where the deadline does not allow it. */
  refusedWait?: number;
}

/**
 * A `fetch` for the client that reads the whole body itself, with a cap: the client's own time-out
 * ends with the headers, and a body may trickle or pour for ever. A connection lost within the body
 * also becomes an error that the client retries. Nobody is followed elsewhere: neither the key nor the
 * conversation is for a host that nobody named.
 *
 * @param stop ends the request for good: the client retries nothing after it
 * @param reading of each attempt, where the answer may be a stream
 */
export function guardedFetch(
  attempts: Attempts,
  stop: AbortController,
  reading?: () => StreamReading,
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' }).catch((error: unknown) => {
      attempts.lastStatus = undefined;
      attempts.lastFailure = error instanceof Error ? error : undefined;
      throw error;
    });
    attempts.lastStatus = response.status;
    attempts.lastFailure = undefined;
    const elsewhere = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && elsewhere !== null) {
      const error = redirected(response.url, elsewhere);
      stop.abort(error);
      throw error;
    }
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
    const bytes =
      isStream && reading
        ? await readStream(response, stop, reading())
        : await readCapped(response, stop);
    const headers = new Headers({ 'content-type': 'application/json' });
    for (const name of ['retry-after', 'retry-after-ms', 'x-should-retry', 'x-request-id']) {
      const value = response.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    const wait = askedWait(response.headers);
    // Retry-After: 86400 must not hold a run for a day.
    if (wait !== undefined && performance.now() + wait > attempts.deadline) {
      attempts.refusedWait = wait;
      headers.set('x-should-retry', 'false');
    }
    const empty = response.status === 204 || response.status === 205 || response.status === 304;
    return new Response(empty ? null : bytes, { status: response.status, headers });
  };
}

function redirected(from: string, to: string): ModelError {
  const place = URL.canParse(to, from) ? new URL(to, from).href : to;
  return new ModelError(
    'redirected',
    `The endpoint ${shownUrl(from)} redirects to ${visibleLine(shownUrl(place), 300)}, where nothing was sent. If you trust that address, set the model's \`base_url\` to it.`,
  );
}

async function readCapped(
  response: Response,
  stop: AbortController,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of chunksOf(response, stop)) chunks.push(chunk);
  const whole = new Uint8Array(Buffer.concat(chunks));
  if (isTooDeep(whole)) giveUp(stop, 'is nested too deep');
  return whole;
}

async function readStream(
  response: Response,
  stop: AbortController,
  reading: StreamReading,
): Promise<string> {
  for await (const chunk of chunksOf(response, stop)) reading.add(chunk);
  return reading.body();
}

async function* chunksOf(response: Response, stop: AbortController): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > LIMITS.response) {
      giveUp(stop, `is larger than ${readable(LIMITS.response)} bytes and was cut off`);
    }
    yield chunk;
  }
}

function giveUp(stop: AbortController, why: string): never {
  const error = new UnreadReply(why);
  stop.abort(error);
  throw error;
}
