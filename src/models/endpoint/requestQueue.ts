import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { durationText } from '../../core/text/format.ts';
import {
  parseRetryAfter,
  RateLimiter,
  type SentRequest,
  type SharedLimits,
  type SpentQuota,
} from './rateLimiter.ts';
import type { TimeLimit } from './timeLimit.ts';

/** Waits shorter than this are not worth telling. */
const MIN_REPORTED_WAIT = 1_000;

/** Milliseconds between two looks whether others have learnt that it goes on earlier. */
const RECHECK_INTERVAL = 1_000;

/** An endpoint that is not asked; the message says why and what to do. */
export class EndpointDownError extends Error {
  override readonly name = 'EndpointDown';

  /** @param why requests before it failed */
  constructor(why: string) {
    super(`Not asked, since requests before it failed. ${why}`);
  }
}

/** An endpoint wants to be left alone for longer than a request may take. */
export class RetryAfterError extends Error {
  override readonly name = 'LeftAlone';
  /** Milliseconds. */
  readonly wait: number;

  constructor(wait: number) {
    super('The endpoint asks to be left alone.');
    this.wait = wait;
  }
}

/** What to do where an endpoint asks to wait for longer than a time limit allows. @param wait milliseconds */
export function retryAfterText(wait: number, whose: 'model' | 'target'): string {
  return `It asks to be left alone for ${durationText(wait)}, longer than the ${whose}'s \`timeout\`. Run again after that.`;
}

/** A request that wants to be sent. */
interface QueueRequest {
  /** What it holds, roughly. */
  readonly tokens: number;
  readonly limit: TimeLimit;
  /** Another's time limit that stands still as well. */
  readonly onWait?: TimeLimit['onWait'] | undefined;
  readonly signal: AbortSignal;
}

/** What a line tells of its endpoint while a run goes on. */
interface QueueListener {
  isWaiting(): void;
  isDown(why: string): void;
  answersAgain(): void;
}

interface WaitingRequest {
  readonly tokens: number;
  readonly limit: TimeLimit;
  readonly go: (place: InFlightRequest) => void;
  readonly fail: (error: Error) => void;
}

/** The requests of a run to one model, or one address, of an endpoint: first come, first served. */
export class RequestQueue {
  readonly #pace = new RateLimiter();
  readonly #queue: WaitingRequest[] = [];
  /** Whether the endpoint can be reached at all, and whether it serves this line. */
  readonly #circuits: readonly [endpoint: CircuitBreaker, own: CircuitBreaker];
  readonly #inFlight: InFlightCounter;
  readonly #listener: QueueListener;
  /** Undefined where no other process asks the same endpoint. */
  readonly shared: SharedLimits | undefined;
  /** Of those who wait for others' requests too, one asks at a time. */
  readonly #oneAtATime = pLimit(1);
  #timer: NodeJS.Timeout | undefined;
  #hasReported = false;

  /**
   * @param inFlight the requests to the endpoint, of its other lines too
   * @param shared where other processes ask the same endpoint
   */
  constructor(
    circuits: readonly [endpoint: CircuitBreaker, own: CircuitBreaker],
    inFlight: InFlightCounter,
    told: QueueListener,
    shared?: SharedLimits,
  ) {
    this.#circuits = circuits;
    this.#inFlight = inFlight;
    this.shared = shared;
    this.#listener = told;
    inFlight.add(() => this.#admit());
  }

  /**
   * A place under way: at once where nothing speaks against it.
   *
   * @param isFirst goes ahead of the others that wait
   * @throws EndpointDown, LeftAlone; the signal's reason when aborted
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
   * Waits until the limits that it shares with other processes let a request go.
   *
   * @throws LeftAlone; the signal's reason when aborted
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

  /**
   * A request failed for good.
   *
   * @param isReached whether its endpoint answered anything
   */
  onFailure(why: string, isReached: boolean): void {
    const circuit = this.#circuits[isReached ? 1 : 0];
    if (!circuit.onFailure(why, performance.now())) return;
    this.#listener.isDown(why);
    this.#admit();
  }

  /** An answer came, good or bad. @param isSound whether the endpoint works */
  onAnswer(isSound: boolean): void {
    const [endpoint, own] = this.#circuits;
    const wasAway = endpoint.onAnswer();
    const wasDown = isSound && own.onAnswer();
    if (wasAway || wasDown) this.#listener.answersAgain();
  }

  async #wait(request: QueueRequest, isFirst: boolean): Promise<InFlightRequest> {
    const { limit, signal, tokens } = request;
    signal.throwIfAborted();
    let abort = () => {};
    const admitted = () =>
      new Promise<InFlightRequest>((go, fail) => {
        const waiting = { tokens, limit, go, fail };
        abort = () => {
          this.#leave(waiting);
          fail(signal.reason);
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

  #leave(waiting: WaitingRequest): void {
    const index = this.#queue.indexOf(waiting);
    if (index >= 0) this.#queue.splice(index, 1);
    this.#admit();
  }

  /** Lets those go who may, and looks again when the next one may. */
  #admit(): void {
    clearTimeout(this.#timer);
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      const wait = this.#waitFor(first.tokens);
      const refusal =
        this.#refusal() ?? (isTooLong(wait, first) ? new RetryAfterError(wait) : undefined);
      if (!refusal && wait > 0) {
        this.#scheduleAdmit(wait);
        return;
      }
      this.#queue.shift();
      if (refusal) first.fail(refusal);
      else first.go(this.#begin(first.tokens));
    }
  }

  /** Who has no room is let in by whoever leaves. */
  #scheduleAdmit(wait: number): void {
    // To wait for our own bound is nothing that the endpoint asks for.
    if (Number.isFinite(wait) || !this.#pace.hasCapacity) this.#reportWaiting(wait);
    if (Number.isFinite(wait)) this.#timer = setTimeout(() => this.#admit(), Math.ceil(wait));
  }

  #reportWaiting(wait: number): void {
    if (wait <= MIN_REPORTED_WAIT || this.#hasReported) return;
    this.#hasReported = true;
    this.#listener.isWaiting();
  }

  /** Milliseconds; infinite until another leaves. */
  #waitFor(tokens: number): number {
    if (!this.#pace.hasCapacity) return Number.POSITIVE_INFINITY;
    const wait = this.#pace.waitFor(tokens, performance.now());
    return wait === 0 && !this.#inFlight.hasCapacity ? Number.POSITIVE_INFINITY : wait;
  }

  #refusal(): EndpointDownError | undefined {
    const now = performance.now();
    for (const circuit of this.#circuits) {
      const why = circuit.refusal(now);
      if (why !== undefined) return new EndpointDownError(why);
    }
    return undefined;
  }

  #begin(tokens: number): InFlightRequest {
    const now = performance.now();
    for (const circuit of this.#circuits) circuit.onRequest(now);
    this.#inFlight.begin();
    return new InFlightRequest(this.#pace, this.#pace.begin(tokens), this.#inFlight);
  }
}

/** Waits for what counts against no time limit. */
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

function isTooLong(wait: number, { limit }: WaitingRequest): boolean {
  return Number.isFinite(wait) && wait > limit.remaining;
}

/** One request under way. */
export class InFlightRequest {
  readonly #pace: RateLimiter;
  readonly #sent: SentRequest;
  readonly #inFlight: InFlightCounter;
  #isOver = false;

  constructor(pace: RateLimiter, sent: SentRequest, inFlight: InFlightCounter) {
    this.#pace = pace;
    this.#sent = sent;
    this.#inFlight = inFlight;
  }

  learnFrom(status: number, headers: Headers): void {
    this.#pace.learnFrom(this.#sent, status, headers);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#pace.end();
    this.#inFlight.end();
  }
}

/** A request that was refused so often is refused for another reason than its haste. */
const MAX_ATTEMPTS = 10;

/** What came of one attempt. */
interface AttemptResult {
  readonly status: number;
  readonly headers: Headers;
  /** Whether a refusal is one for good, whenever it is asked again. */
  readonly isFinal?: boolean;
}

/** The last attempt. Its place is the caller's to leave. */
interface QueuedAnswer<Answer> {
  readonly answer: Answer;
  readonly inFlight: InFlightRequest;
  /** Milliseconds that the endpoint asked to wait, where the time limit does not allow it. */
  readonly refusedWait?: number;
}

/**
 * Sends a request when it is its turn. A refused one (429) goes back to the head of the line, for as long as
 * that may help.
 *
 * @param send one attempt
 * @throws EndpointDown, LeftAlone, and what `send` throws; the signal's reason when aborted
 */
export async function sendQueued<Answer extends AttemptResult>(
  queue: RequestQueue,
  request: QueueRequest,
  send: () => Promise<Answer>,
): Promise<QueuedAnswer<Answer>> {
  for (let attempts = 0; ; attempts += 1) {
    const admission = queue.enter(request, attempts > 0);
    // Awaiting what is there already would cost a turn of the loop.
    const inFlight = admission instanceof Promise ? await admission : admission;
    const { shared } = queue;
    let answer: Answer;
    try {
      const spent = shared && (await queue.takeShared(shared, request));
      answer = await send();
      if (spent) {
        const { status, headers } = answer;
        // The answer is there, even if the others cannot be told.
        const told = () => shared.learnFrom(spent, status, headers).catch(() => {});
        await withPausedTimeLimit(request, told);
      }
    } catch (error) {
      inFlight.end();
      throw error;
    }
    const { status, headers } = answer;
    inFlight.learnFrom(status, headers);
    queue.onAnswer(status < 500 && status !== 429);
    const retryAfter = parseRetryAfter(headers);
    if (retryAfter !== undefined && retryAfter > request.limit.remaining)
      return { answer, inFlight, refusedWait: retryAfter };
    if (status !== 429 || answer.isFinal || attempts + 1 >= MAX_ATTEMPTS)
      return { answer, inFlight };
    inFlight.end();
  }
}

/** The requests in flight at one endpoint, of all its lines together. */
export class InFlightCounter {
  readonly #max: number;
  #count = 0;
  #lines: (() => void)[] = [];

  /** @param max how many there may be at once */
  constructor(max: number) {
    this.#max = max;
  }

  get hasCapacity(): boolean {
    return this.#count < this.#max;
  }

  /** @param admit lets those of a line go who may; called when there is room again */
  add(admit: () => void): void {
    this.#lines.push(admit);
  }

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    // Each line in turn comes first, so that none waits for ever.
    this.#lines.push(...this.#lines.splice(0, 1));
    for (const admit of this.#lines) admit();
  }
}

/** So many requests in a row that failed, retries and all, mean that their endpoint is down. */
const FAILURE_THRESHOLD = 3;

/** Milliseconds until one request tries again whether it is still down. */
const RETRY_INTERVAL = 30_000;

/** Keeps requests from an endpoint that is down, so that each of them fails at once. */
export class CircuitBreaker {
  #failures = 0;
  /** Why the last request failed, while nothing is to be asked. */
  #why: string | undefined;
  #nextTry = 0;

  /** @returns why there is no asking now */
  refusal(now: number): string | undefined {
    return now < this.#nextTry ? this.#why : undefined;
  }

  /** Somebody asks. Where that is a try after a rest, it is the only one. */
  onRequest(now: number): void {
    if (this.#why !== undefined) this.#nextTry = now + RETRY_INTERVAL;
  }

  /** @returns whether it has just become clear that the endpoint is down */
  onFailure(why: string, now: number): boolean {
    this.#failures += 1;
    if (this.#failures < FAILURE_THRESHOLD) return false;
    const isNew = this.#why === undefined;
    this.#why = why;
    this.#nextTry = now + RETRY_INTERVAL;
    return isNew;
  }

  /** @returns whether it was down */
  onAnswer(): boolean {
    const wasDown = this.#why !== undefined;
    this.#failures = 0;
    this.#why = undefined;
    return wasDown;
  }
}
