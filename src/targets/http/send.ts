import { setTimeout } from 'node:timers/promises';
import { LIMITS, readable } from '../../core/limits.ts';
import type { Message } from '../../core/message.ts';
import { connectionFault, shownUrl, shownWords } from '../../models/connectionErrors.ts';
import { askedWait, jittered } from '../../models/endpoint/rateLimiter.ts';
import {
  EndpointDown,
  inLine,
  LeftAlone,
  type Line,
  leftAloneText,
  type Place,
} from '../../models/endpoint/requestQueue.ts';
import { type TimeLimit, withTimeLimit } from '../../models/endpoint/timeLimit.ts';
import { checkLength, noReply } from '../replyLimits.ts';
import {
  type HearText,
  TargetError,
  type TargetHost,
  type TargetReply,
  type TargetSession,
} from '../target.ts';

/** Of one reply: how long it is waited for, and where. */
export interface Patience extends Pick<TargetHost, 'scrubber'> {
  readonly limit: TimeLimit;
  readonly line: Line;
  readonly signal: AbortSignal;
  /** That of its last request, until the reply is there. */
  place?: Place;
}

/** A conversation with a service over HTTP. Its requests share one queue with others to the same address. */
export abstract class RemoteSession implements TargetSession {
  readonly #of: Pick<Patience, 'line' | 'scrubber'>;
  readonly #timeout: number;
  #waited = 0;
  #length = 0;

  /** @param timeout milliseconds that one reply may take */
  constructor(line: Line, scrubber: TargetHost['scrubber'], timeout: number) {
    this.#of = { line, scrubber };
    this.#timeout = timeout;
  }

  abstract reply(
    messages: readonly Message[],
    signal: AbortSignal,
    hear?: HearText,
  ): Promise<TargetReply>;

  waited(): number {
    return this.#waited;
  }

  async close(): Promise<void> {}

  /** @throws TargetError; the signal's reason when aborted */
  protected run<Reply>(
    signal: AbortSignal,
    ask: (patience: Patience) => Promise<Reply>,
  ): Promise<Reply> {
    const work = async (stop: AbortSignal, limit: TimeLimit) => {
      const patience: Patience = { ...this.#of, limit, signal: stop };
      try {
        return await ask(patience);
      } finally {
        patience.place?.leave();
        this.#waited += limit.waited;
      }
    };
    return withTimeLimit(work, this.#timeout, signal, noReply());
  }

  /** @param size of a reply @throws TargetError if it is too long, or all replies together are */
  protected addLength(size: number): void {
    this.#length += size;
    checkLength(size, this.#length);
  }
}

/** Waits of 0.5, 1 and 2 s with some chance, unless the service says Retry-After. */
const RETRIES = 3;
const FIRST_WAIT = 500;

/** Bytes of an error's answer that are read. */
const COMPLAINT = 4_000;

export interface Outgoing {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/**
 * Sends a request of a target's when it is its turn, and again where that may help, as models do. Nobody is
 * followed elsewhere: neither a secret nor the conversation is for a host that nobody named.
 *
 * @returns the response, its body unread
 * @throws TargetError
 */
export async function send(request: Outgoing, patience: Patience): Promise<Response> {
  const { limit, signal, line } = patience;
  for (let attempt = 0; ; attempt += 1) {
    const answer = await inTurn(request, patience);
    const pause = jittered(FIRST_WAIT * 2 ** attempt);
    const isLast = attempt === RETRIES || pause > limit.left;
    if (answer instanceof Error) {
      signal.throwIfAborted();
      const { advice } = connectionFault(answer);
      if (isLast || advice !== undefined) {
        const error = unreachable(request, answer, patience);
        line.failed(error.message, false);
        throw error;
      }
      await setTimeout(pause, undefined, { signal });
      continue;
    }
    const { response, refusedWait } = answer;
    if (response.ok) return response;
    if (isLast || refusedWait !== undefined || !mayHelp(response.status)) {
      const error = await refused(request, response, refusedWait, patience);
      if (response.status >= 500 || response.status === 429) line.failed(error.message, true);
      throw error;
    }
    await response.body?.cancel();
    patience.place?.leave();
    // The waits that services ask for are waited for in line.
    if (askedWait(response.headers) === undefined) {
      await setTimeout(pause, undefined, { signal });
    }
  }
}

/** The response that is not refused for haste alone, or why there was none. */
async function inTurn(request: Outgoing, patience: Patience) {
  const { limit, line, signal } = patience;
  patience.place?.leave();
  const asking = { tokens: 0, limit, signal };
  let last: Response | undefined;
  try {
    const { answer, place, refusedWait } = await inLine(line, asking, async () => {
      await last?.body?.cancel();
      last = await fetched(request, signal);
      return last;
    });
    patience.place = place;
    return { response: answer, refusedWait };
  } catch (error) {
    if (error instanceof EndpointDown) throw failed(error.message);
    if (error instanceof LeftAlone) {
      const why = `${shownUrl(request.url)} is rate-limited. ${leftAloneText(error.wait, 'target')}`;
      line.failed(why, true);
      throw failed(why);
    }
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function fetched({ url, body, ...rest }: Outgoing, signal: AbortSignal) {
  const given = { ...rest, ...(body !== undefined && { body }) };
  return fetch(url, { ...given, redirect: 'manual', signal });
}

function mayHelp(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

function unreachable({ url }: Outgoing, error: Error, { scrubber }: Patience): TargetError {
  const { reason, advice = "Check that it is running, and the target's `url`." } =
    connectionFault(error);
  const words = shownWords(reason, scrubber);
  return new TargetError(
    'target-error',
    `${shownUrl(url)} cannot be reached (${words}). ${advice}`,
  );
}

async function refused(
  { url }: Outgoing,
  response: Response,
  wait: number | undefined,
  { scrubber }: Patience,
): Promise<TargetError> {
  const at = shownUrl(url);
  const { status, headers } = response;
  const elsewhere = headers.get('location');
  if (status >= 300 && status < 400 && elsewhere !== null) {
    await response.body?.cancel();
    const place = URL.canParse(elsewhere, url) ? new URL(elsewhere, url).href : elsewhere;
    const to = shownWords(shownUrl(place), scrubber);
    return failed(
      `${at} redirects to ${to}, where nothing was sent. If you trust that address, set the target's \`url\` to it.`,
    );
  }
  const words = shownWords(await beginning(response), scrubber);
  const said = words === '' ? '' : ` (${words})`;
  const advice = wait === undefined ? adviceFor(status) : leftAloneText(wait, 'target');
  return new StatusError(status, `${at} answered ${status}${said}. ${advice}`);
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) {
    return 'Set what it wants in `headers`, from an environment variable where it is a secret.';
  }
  if (status === 404 || status === 405) return "Check the target's `url` and `method`.";
  if (status === 429) return 'Lower the concurrency, or try later.';
  if (mayHelp(status)) return 'It failed even after retries. Check its log.';
  return "Check the target's `body` and `headers`.";
}

async function beginning(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length >= COMPLAINT) break;
    }
  } catch {
    // What came before the connection was lost has to do.
  }
  return text.slice(0, COMPLAINT);
}

/** What a service sends, piece by piece, to the limit. @throws TargetError where it is too much, or cut short */
export async function* bytesOf(
  { url }: Pick<Outgoing, 'url'>,
  response: Response,
  { signal, scrubber }: Pick<Patience, 'signal' | 'scrubber'>,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const bytes of response.body ?? []) {
      size += bytes.byteLength;
      if (size > LIMITS.response) {
        const message = `${shownUrl(url)} sent more than ${readable(LIMITS.response)} bytes.`;
        throw new TargetError('target-too-much-output', message);
      }
      yield bytes;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Error) || error instanceof TargetError) throw error;
    const words = shownWords(connectionFault(error).reason, scrubber);
    throw failed(`${shownUrl(url)} ended the connection in the middle of its answer (${words}).`);
  }
}

export function isEventStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
}

/** A service answered with a status other than success. */
export class StatusError extends TargetError {
  readonly status: number;

  constructor(status: number, message: string) {
    super('target-error', message);
    this.status = status;
  }
}

export function failed(message: string): TargetError {
  return new TargetError('target-error', message);
}
