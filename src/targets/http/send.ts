import { setTimeout } from 'node:timers/promises';
import { JsonShape } from '../../core/data/data.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import type { Message } from '../../core/message.ts';
import { connectionFaultOf, redactUrl, sanitizeText } from '../../models/connectionErrors.ts';
import { parseRetryAfter, withJitter } from '../../models/endpoint/rateLimiter.ts';
import {
  EndpointDownError,
  type InFlightRequest,
  type RequestQueue,
  RetryAfterError,
  retryAfterText,
  sendQueued,
} from '../../models/endpoint/requestQueue.ts';
import { type TimeLimit, withTimeLimit } from '../../models/endpoint/timeLimit.ts';
import { digestOf } from '../../node/hashes.ts';
import { checkLength, replyTimeoutError } from '../replyLimits.ts';
import {
  type OnText,
  TargetError,
  type TargetHost,
  type TargetReply,
  type TargetSession,
} from '../target.ts';

export interface PendingReply extends Pick<TargetHost, 'scrubber'> {
  readonly limit: TimeLimit;
  readonly queue: RequestQueue;
  readonly signal: AbortSignal;
  /** The last request, until the reply is complete. */
  inFlight?: InFlightRequest;
}

export interface RemoteSetup {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds per reply. */
  readonly timeout: number;
}

type Host = Pick<TargetHost, 'conversationId' | 'context' | 'scrubber' | 'endpoints' | 'trace'>;

/** A conversation with a service over HTTP. All requests to the same address share a queue. */
export abstract class RemoteSession<Setup extends RemoteSetup> implements TargetSession {
  protected readonly setup: Setup;
  protected readonly host: Host;
  protected replies = 0;
  readonly #queue: RequestQueue;
  #waited = 0;
  #length = 0;

  /** @param path a path with its own rate limits */
  constructor(setup: Setup, host: Host, path = '') {
    const { url, headers } = setup;
    this.setup = setup;
    this.host = host;
    this.#queue = host.endpoints.queueFor({ url, account: digestOf(headers), name: path });
  }

  abstract reply(
    messages: readonly Message[],
    signal: AbortSignal,
    onText?: OnText,
  ): Promise<TargetReply>;

  readonly waited = () => this.#waited;

  async close(): Promise<void> {}

  /** Headers that make the service continue the turn's trace. */
  protected traceHeaders(): Record<string, string> {
    const { trace } = this.host;
    return trace ? { traceparent: trace.traceparent } : {};
  }

  /** @throws TargetError; the signal's reason when aborted */
  protected run<Reply>(
    signal: AbortSignal,
    ask: (pending: PendingReply) => Promise<Reply>,
  ): Promise<Reply> {
    const { scrubber } = this.host;
    const work = async (stop: AbortSignal, limit: TimeLimit) => {
      const pending: PendingReply = { queue: this.#queue, scrubber, limit, signal: stop };
      try {
        return await ask(pending);
      } finally {
        pending.inFlight?.end();
        this.#waited += limit.waited;
      }
    };
    return withTimeLimit(work, this.setup.timeout, signal, replyTimeoutError());
  }

  /** @param size the reply's size @throws TargetError if this reply, or all replies together, are too long */
  protected countReply(size: number): void {
    this.replies += 1;
    this.#length += size;
    checkLength(size, this.#length);
  }
}

/** Maximum number of retries. The waits before them are about 0.5, 1, and 2 s, unless there is a Retry-After. */
const RETRIES = 3;
const FIRST_WAIT = 500;

/** Maximum number of characters to read from an error response. */
const MAX_ERROR_BODY = 4_000;

export interface OutgoingRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Sends a request when it is its turn, with retries if they may help. Redirects aren't followed: nobody allowed the
 * new host to get secrets or the conversation.
 *
 * @returns the response, its body unread
 * @throws TargetError
 */
export async function send(request: OutgoingRequest, pending: PendingReply): Promise<Response> {
  const { limit, signal, queue } = pending;
  for (let attempt = 0; ; attempt += 1) {
    const answer = await sendInTurn(request, pending);
    const pause = withJitter(FIRST_WAIT * 2 ** attempt);
    const isLast = attempt === RETRIES || pause > limit.remaining;
    if (answer instanceof Error) {
      signal.throwIfAborted();
      const { advice } = connectionFaultOf(answer);
      if (isLast || advice !== undefined) {
        const error = unreachableError(request, answer, pending);
        queue.onFailure(error.message, false);
        throw error;
      }
      await setTimeout(pause, undefined, { signal });
      continue;
    }
    const { response, refusedWait } = answer;
    if (response.ok) return response;
    if (isLast || refusedWait !== undefined || !isRetryable(response.status)) {
      const error = await refusedError(request, response, refusedWait, pending);
      if (response.status >= 500 || response.status === 429) queue.onFailure(error.message, true);
      throw error;
    }
    await response.body?.cancel();
    pending.inFlight?.end();
    // The queue handles Retry-After itself.
    if (parseRetryAfter(response.headers) === undefined) {
      await setTimeout(pause, undefined, { signal });
    }
  }
}

async function sendInTurn(request: OutgoingRequest, pending: PendingReply) {
  const { limit, queue, signal } = pending;
  const { url, ...init } = request;
  pending.inFlight?.end();
  const queued = { tokens: 0, limit, signal };
  let last: Response | undefined;
  try {
    const { answer, inFlight, refusedWait } = await sendQueued(queue, queued, async () => {
      await last?.body?.cancel();
      last = await fetch(url, { ...init, redirect: 'manual', signal });
      return last;
    });
    pending.inFlight = inFlight;
    return { response: answer, refusedWait };
  } catch (error) {
    if (error instanceof EndpointDownError) throw targetError(error.message);
    if (error instanceof RetryAfterError) {
      const why = `${redactUrl(url)} is rate-limited. ${retryAfterText(error.wait, 'target')}`;
      queue.onFailure(why, true);
      throw targetError(why);
    }
    return error instanceof Error ? error : new Error(String(error));
  }
}

function isRetryable(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

function unreachableError(
  { url }: OutgoingRequest,
  error: Error,
  { scrubber }: PendingReply,
): TargetError {
  const { reason, advice = "Check that it is running, and the target's `url`." } =
    connectionFaultOf(error);
  const words = sanitizeText(reason, scrubber);
  return targetError(`${redactUrl(url)} cannot be reached (${words}). ${advice}`);
}

async function refusedError(
  { url }: OutgoingRequest,
  response: Response,
  wait: number | undefined,
  { scrubber }: PendingReply,
): Promise<TargetError> {
  const at = redactUrl(url);
  const { status, headers } = response;
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null) {
    await response.body?.cancel();
    const target = URL.canParse(location, url) ? new URL(location, url).href : location;
    const to = sanitizeText(redactUrl(target), scrubber);
    return targetError(
      `${at} redirects to ${to}, where nothing was sent. If you trust that address, set the target's \`url\` to it.`,
    );
  }
  const words = sanitizeText(await readBeginning(response, scrubber), scrubber);
  const detail = words === '' ? '' : ` (${words})`;
  const advice = wait === undefined ? adviceFor(status) : retryAfterText(wait, 'target');
  return new StatusError(status, `${at} answered ${status}${detail}. ${advice}`);
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) {
    return 'Set the required `headers`; use environment variables for secrets.';
  }
  if (status === 404 || status === 405) return "Check the target's `url` and `method`.";
  if (status === 429) return 'Lower the concurrency, or try again later.';
  if (isRetryable(status)) return 'It failed even after retries. Check its log.';
  return "Check the target's `body` and `headers`.";
}

async function readBeginning(
  response: Response,
  scrubber: PendingReply['scrubber'],
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length >= MAX_ERROR_BODY) break;
    }
  } catch {
    // Text received before the connection was lost is good enough.
  }
  if (text.length <= MAX_ERROR_BODY) return text;
  // The following text could be the rest of a secret.
  return scrubber.beginning(text.slice(0, MAX_ERROR_BODY));
}

/** The body in chunks, up to a size limit. @throws TargetError if it is too large or incomplete */
export async function* readBytes(
  { url }: Pick<OutgoingRequest, 'url'>,
  response: Response,
  { signal, scrubber }: Pick<PendingReply, 'signal' | 'scrubber'>,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const bytes of response.body ?? []) {
      size += bytes.byteLength;
      if (size > LIMITS.response) {
        const message = `${redactUrl(url)} sent more than ${readable(LIMITS.response)} bytes.`;
        throw new TargetError('target-too-much-output', message);
      }
      yield bytes;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Error) || error instanceof TargetError) throw error;
    const words = sanitizeText(connectionFaultOf(error).reason, scrubber);
    throw targetError(
      `${redactUrl(url)} ended the connection in the middle of its answer (${words}).`,
    );
  }
}

/**
 * A response for a client that reads without limits: its body's size and shape are limited.
 *
 * @param onEnd called when the body has been read, with the error if it is too large or breaks off
 * @throws TargetError, like `send`
 */
export async function fetchLimited(
  request: OutgoingRequest,
  pending: PendingReply,
  onEnd: (error?: Error) => void = () => {},
): Promise<Response> {
  const response = await send(request, pending);
  const { status, headers } = response;
  if (!response.body) {
    onEnd();
    return new Response(null, { status, headers });
  }
  const bytes = checkShape(
    readBytes(request, response, pending),
    request.url,
    isEventStream(response),
  );
  // Not `ReadableStream.from`: canceling it before the first read would never end the request.
  let isCanceled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await bytes.next();
          if (isCanceled) return;
          if (!done) {
            controller.enqueue(value);
            return;
          }
          onEnd();
          controller.close();
        } catch (error) {
          if (isCanceled) return;
          onEnd(error instanceof Error ? error : undefined);
          controller.error(error);
        }
      },
      async cancel() {
        isCanceled = true;
        onEnd();
        await bytes.return(undefined);
        await response.body?.cancel().catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status, headers });
}

/** Fails on JSON that would take up too much memory, because the client parses without limits. */
async function* checkShape(
  bytes: AsyncIterable<Uint8Array>,
  url: string,
  isStream: boolean,
): AsyncGenerator<Uint8Array> {
  let shape = new JsonShape();
  for await (const piece of bytes) {
    const end = isStream ? Buffer.from(piece).lastIndexOf('\n\n') : -1;
    // The next event contains a separate JSON value.
    if (end >= 0) shape = new JsonShape();
    const excess = shape.add(piece.subarray(end + 1)).excess();
    if (excess !== undefined) throw targetError(`The response from ${redactUrl(url)} ${excess}.`);
    yield piece;
  }
}

export function isEventStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
}

export class StatusError extends TargetError {
  readonly status: number;

  constructor(status: number, message: string) {
    super('target-error', message);
    this.status = status;
  }
}

export function targetError(message: string): TargetError {
  return new TargetError('target-error', message);
}
