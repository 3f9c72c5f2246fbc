import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { durationText } from '../../core/text/format.ts';
import { parseRetryAfter, RateLimiter, type SharedLimits, type SpentQuota } from './rateLimiter.ts';
import type { TimeLimit } from './timeLimit.ts';

/** Milliseconds. Shorter waits aren't reported. */
const MIN_REPORTED_WAIT = 1_000;

/** Milliseconds between checks of the shared limits, because other processes may have freed quota. */
const RECHECK_INTERVAL = 1_000;

/** Thrown if a request wasn't sent because its endpoint is down. `message` includes the reason and advice. */
export class EndpointDownError extends Error {
  override readonly name = 'EndpointDownError';

  constructor(why: string) {
    super(`Not sent, because earlier requests failed. ${why}`);
  }
}

/** Thrown if Retry-After exceeds a request's time limit. */
export class RetryAfterError extends Error {
  override readonly name = 'RetryAfterError';
  /** Milliseconds. */
  readonly wait: number;

  constructor(wait: number) {
    super('The endpoint sent a Retry-After beyond the time limit.');
    this.wait = wait;
  }
}

/** Advice if Retry-After exceeds a time limit. @param wait milliseconds */
export function retryAfterText(wait: number, whose: 'model' | 'target'): string {
  return `It asked clients to wait ${durationText(wait)}, which is longer than the ${whose}'s \`timeout\`. Try again later.`;
}

interface QueueRequest {
  /** Approximate size in tokens. */
  readonly tokens: number;
  readonly limit: TimeLimit;
  /** Called at the start and end of each wait, to pause an outer time limit. */
  readonly onWait?: TimeLimit['onWait'] | undefined;
  readonly signal: AbortSignal;
}

interface QueueListener {
  onRateLimited(): void;
  onDown(why: string): void;
  onRecovered(): void;
}

interface WaitingRequest extends Pick<QueueRequest, 'tokens' | 'limit'> {
  readonly resolve: (admitted: InFlightRequest) => void;
  readonly reject: (error: Error) => void;
}

/** A run's requests to one model or path of an endpoint, first in, first out. */
export class RequestQueue {
  readonly #rateLimiter = new RateLimiter();
  readonly #queue: WaitingRequest[] = [];
  /** One circuit breaker for the whole origin, and one for this model or path. */
  readonly #circuits: readonly [endpoint: CircuitBreaker, own: CircuitBreaker];
  readonly #inFlight: InFlightCounter;
  readonly #listener: QueueListener;
  /** Undefined if no other process uses the endpoint. */
  readonly shared: SharedLimits | undefined;
  /** Ensures that requests to the shared limits run one at a time. */
  readonly #oneAtATime = pLimit(1);
  #timer: NodeJS.Timeout | undefined;
  #hasReported = false;

  /** @param inFlight requests in flight at the endpoint, including those from its other queues */
  constructor(
    circuits: readonly [endpoint: CircuitBreaker, own: CircuitBreaker],
    inFlight: InFlightCounter,
    listener: QueueListener,
    shared?: SharedLimits,
  ) {
    this.#circuits = circuits;
    this.#inFlight = inFlight;
    this.shared = shared;
    this.#listener = listener;
    inFlight.add(() => this.#admit());
  }

  /**
   * Admits a request, immediately if possible.
   *
   * @param isFirst whether it goes ahead of requests that are waiting
   * @throws EndpointDownError, RetryAfterError; the signal's reason when aborted
   */
  enter(request: QueueRequest, isFirst: boolean): InFlightRequest | Promise<InFlightRequest> {
    const refusal = this.#refusal();
    if (refusal) throw refusal;
    if (this.#queue.length === 0 && this.#waitFor(request.tokens) === 0) {
      return this.#begin(request.tokens);
    }
    return this.#wait(request, isFirst);
  }

  /**
   * Waits for quota from the limits shared with other processes.
   *
   * @throws RetryAfterError; the signal's reason when aborted
   */
  takeShared(shared: SharedLimits, request: QueueRequest): Promise<SpentQuota> {
    const { tokens, limit, signal } = request;
    const take = async () => {
      for (;;) {
        signal.throwIfAborted();
        const taken = await shared.take(tokens);
        if (typeof taken !== 'number') return taken;
        if (taken > limit.remaining) throw new RetryAfterError(taken);
        this.#reportWaiting(taken);
        await sleep(Math.min(Math.ceil(taken), RECHECK_INTERVAL), undefined, { signal }).catch(
          () => {},
        );
      }
    };
    return withPausedTimeLimit(request, () => this.#oneAtATime(take));
  }

  /** Call this when a request has failed for good. @param isReached whether the endpoint answered at all */
  onFailure(why: string, isReached: boolean): void {
    const circuit = this.#circuits[isReached ? 1 : 0];
    if (!circuit.onFailure(why, performance.now())) return;
    this.#listener.onDown(why);
    this.#admit();
  }

  onAnswer(isHealthy: boolean): void {
    const [endpoint, own] = this.#circuits;
    const wasAway = endpoint.onAnswer();
    const wasDown = isHealthy && own.onAnswer();
    if (wasAway || wasDown) this.#listener.onRecovered();
  }

  async #wait(request: QueueRequest, isFirst: boolean): Promise<InFlightRequest> {
    const { limit, signal, tokens } = request;
    signal.throwIfAborted();
    let abort = () => {};
    const admitted = () =>
      new Promise<InFlightRequest>((resolve, reject) => {
        const waiting = { tokens, limit, resolve, reject };
        abort = () => {
          this.#removeWaiting(waiting);
          reject(signal.reason);
        };
        signal.addEventListener('abort', abort, { once: true });
        if (isFirst) this.#queue.unshift(waiting);
        else this.#queue.push(waiting);
        this.#admit();
      });
    return withPausedTimeLimit(request, admitted).finally(() =>
      signal.removeEventListener('abort', abort),
    );
  }

  #removeWaiting(waiting: WaitingRequest): void {
    const index = this.#queue.indexOf(waiting);
    if (index >= 0) this.#queue.splice(index, 1);
    this.#admit();
  }

  /** Admits requests from the head of the queue, and schedules the next check. */
  #admit(): void {
    clearTimeout(this.#timer);
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      const wait = this.#waitFor(first.tokens);
      const isTooLong = Number.isFinite(wait) && wait > first.limit.remaining;
      const refusal = this.#refusal() ?? (isTooLong ? new RetryAfterError(wait) : undefined);
      if (!refusal && wait > 0) {
        this.#scheduleAdmit(wait);
        return;
      }
      this.#queue.shift();
      if (refusal) first.reject(refusal);
      else first.resolve(this.#begin(first.tokens));
    }
  }

  /** Schedules the next check. If the wait is infinite, the next request to finish admits others. */
  #scheduleAdmit(wait: number): void {
    // Reports only waits for the endpoint's limits, not for our own concurrency limit.
    if (Number.isFinite(wait) || !this.#rateLimiter.hasCapacity) this.#reportWaiting(wait);
    if (Number.isFinite(wait)) this.#timer = setTimeout(() => this.#admit(), Math.ceil(wait));
  }

  #reportWaiting(wait: number): void {
    if (wait <= MIN_REPORTED_WAIT || this.#hasReported) return;
    this.#hasReported = true;
    this.#listener.onRateLimited();
  }

  /** Milliseconds to wait; infinite if another request has to finish first. */
  #waitFor(tokens: number): number {
    if (!this.#rateLimiter.hasCapacity) return Number.POSITIVE_INFINITY;
    const wait = this.#rateLimiter.waitFor(tokens, performance.now());
    return wait === 0 && !this.#inFlight.hasCapacity ? Number.POSITIVE_INFINITY : wait;
  }

  #refusal(): EndpointDownError | undefined {
    const now = performance.now();
    const [endpoint, own] = this.#circuits;
    const why = endpoint.refusal(now) ?? own.refusal(now);
    return why === undefined ? undefined : new EndpointDownError(why);
  }

  #begin(tokens: number): InFlightRequest {
    const now = performance.now();
    for (const circuit of this.#circuits) circuit.onRequest(now);
    this.#inFlight.begin();
    const spent = this.#rateLimiter.begin(tokens);
    let isOver = false;
    return {
      learnFrom: (status, headers) => this.#rateLimiter.learnFrom(spent, status, headers),
      end: () => {
        if (isOver) return;
        isOver = true;
        this.#rateLimiter.end();
        this.#inFlight.end();
      },
    };
  }
}

async function withPausedTimeLimit<Result>(
  { limit, onWait }: Pick<QueueRequest, 'limit' | 'onWait'>,
  work: () => Promise<Result>,
): Promise<Result> {
  limit.onWait(true);
  onWait?.(true);
  try {
    return await work();
  } finally {
    onWait?.(false);
    limit.onWait(false);
  }
}

export interface InFlightRequest {
  learnFrom(status: number, headers: Headers): void;
  /** Ends the request and admits others. Further calls have no effect. */
  end(): void;
}

/** Maximum number of attempts; after this many refusals, the request rate can't be the cause. */
const MAX_ATTEMPTS = 10;

interface AttemptResult {
  readonly status: number;
  readonly headers: Headers;
  /** Whether retrying can't help. */
  readonly isFinal?: boolean;
}

/**
 * Sends a request when it is its turn. If the endpoint refuses it (429), it returns to the head of the queue as long as
 * retries may help.
 *
 * @param send one attempt
 * @returns the last answer; `inFlight`, which the caller ends; milliseconds of a Retry-After beyond the time limit
 * @throws EndpointDownError, RetryAfterError, and what `send` throws; the signal's reason when aborted
 */
export async function sendQueued<Answer extends AttemptResult>(
  queue: RequestQueue,
  request: QueueRequest,
  send: () => Promise<Answer>,
) {
  for (let attempts = 0; ; attempts += 1) {
    const admission = queue.enter(request, attempts > 0);
    // Awaiting a plain value would cost a turn in the event loop.
    const inFlight = admission instanceof Promise ? await admission : admission;
    const { shared } = queue;
    let answer: Answer;
    try {
      const spent = shared && (await queue.takeShared(shared, request));
      answer = await send();
      if (spent) {
        const { status, headers } = answer;
        // The answer is valid even if other processes can't be notified about it.
        const notifyOthers = () => shared.learnFrom(spent, status, headers).catch(() => {});
        await withPausedTimeLimit(request, notifyOthers);
      }
    } catch (error) {
      inFlight.end();
      throw error;
    }
    const { status, headers } = answer;
    inFlight.learnFrom(status, headers);
    queue.onAnswer(status < 500 && status !== 429);
    const retryAfter = parseRetryAfter(headers);
    if (retryAfter !== undefined && retryAfter > request.limit.remaining) {
      return { answer, inFlight, refusedWait: retryAfter };
    }
    const isLast = answer.isFinal || attempts + 1 >= MAX_ATTEMPTS;
    if (status !== 429 || isLast) return { answer, inFlight };
    inFlight.end();
  }
}

/** Counts the requests in flight at one endpoint, across all of its queues. */
export class InFlightCounter {
  readonly #max: number;
  #count = 0;
  #queues: (() => void)[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  get hasCapacity(): boolean {
    return this.#count < this.#max;
  }

  /** @param admit called when there is room again */
  add(admit: () => void): void {
    this.#queues.push(admit);
  }

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    // Rotates the queues, so that none of them starves.
    this.#queues.push(...this.#queues.splice(0, 1));
    for (const admit of this.#queues) admit();
  }
}

/** Number of consecutive requests that must fail, including their retries, before an endpoint counts as down. */
const FAILURE_THRESHOLD = 3;

/** Milliseconds between requests to an endpoint that is down. */
const RETRY_INTERVAL = 30_000;

/** Makes requests to an endpoint that is down fail immediately. */
export class CircuitBreaker {
  #failures = 0;
  /** Why the last request failed; set while the circuit is open. */
  #why: string | undefined;
  #nextTry = 0;

  refusal(now: number): string | undefined {
    return now < this.#nextTry ? this.#why : undefined;
  }

  /** Lets only one request per interval through while the circuit is open. */
  onRequest(now: number): void {
    if (this.#why !== undefined) this.#nextTry = now + RETRY_INTERVAL;
  }

  /** @returns whether this opened the circuit */
  onFailure(why: string, now: number): boolean {
    this.#failures += 1;
    if (this.#failures < FAILURE_THRESHOLD) return false;
    const isNew = this.#why === undefined;
    this.#why = why;
    this.#nextTry = now + RETRY_INTERVAL;
    return isNew;
  }

  /** @returns whether it was open */
  onAnswer(): boolean {
    const wasDown = this.#why !== undefined;
    this.#failures = 0;
    this.#why = undefined;
    return wasDown;
  }
}
