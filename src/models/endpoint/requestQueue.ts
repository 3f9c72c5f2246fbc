import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { durationText } from '../../core/text/format.ts';
import { askedWait, Pace, type Sent, type SharedLimits, type Spent } from './rateLimiter.ts';
import type { TimeLimit } from './timeLimit.ts';

/** Waits shorter than this are not worth telling. */
const WORTH_TELLING = 1_000;

/** Milliseconds between two looks whether others have learnt that it goes on earlier. */
const LOOK = 1_000;

/** An endpoint that is not asked; the message says why and what to do. */
export class EndpointDown extends Error {
  override readonly name = 'EndpointDown';

  /** @param why requests before it failed */
  constructor(why: string) {
    super(`Not asked, since requests before it failed. ${why}`);
  }
}

/** An endpoint wants to be left alone for longer than a request may take. */
export class LeftAlone extends Error {
  override readonly name = 'LeftAlone';
  /** Milliseconds. */
  readonly wait: number;

  constructor(wait: number) {
    super('The endpoint asks to be left alone.');
    this.wait = wait;
  }
}

/** What to do where an endpoint asks to wait for longer than a time limit allows. @param wait milliseconds */
export function leftAloneText(wait: number, whose: 'model' | 'target'): string {
  return `It asks to be left alone for ${durationText(wait)}, longer than the ${whose}'s \`timeout\`. Run again after that.`;
}

/** A request that wants to be sent. */
interface Asking {
  /** What it holds, roughly. */
  readonly tokens: number;
  readonly limit: TimeLimit;
  /** Another's time limit that stands still as well. */
  readonly waits?: TimeLimit['waits'] | undefined;
  readonly signal: AbortSignal;
}

/** What a line tells of its endpoint while a run goes on. */
interface Told {
  isWaiting(): void;
  isDown(why: string): void;
  answersAgain(): void;
}

interface Waiting {
  readonly tokens: number;
  readonly limit: TimeLimit;
  readonly go: (place: Place) => void;
  readonly fail: (error: Error) => void;
}

/** The requests of a run to one model, or one address, of an endpoint: first come, first served. */
export class Line {
  readonly #pace = new Pace();
  readonly #queue: Waiting[] = [];
  /** Whether the endpoint can be reached at all, and whether it serves this line. */
  readonly #circuits: readonly [endpoint: Circuit, own: Circuit];
  readonly #inFlight: InFlight;
  readonly #told: Told;
  /** Undefined where no other process asks the same endpoint. */
  readonly shared: SharedLimits | undefined;
  /** Of those who wait for others' requests too, one asks at a time. */
  readonly #oneByOne = pLimit(1);
  #timer: NodeJS.Timeout | undefined;
  #hasTold = false;

  /**
   * @param inFlight the requests to the endpoint, of its other lines too
   * @param shared where other processes ask the same endpoint
   */
  constructor(
    circuits: readonly [endpoint: Circuit, own: Circuit],
    inFlight: InFlight,
    told: Told,
    shared?: SharedLimits,
  ) {
    this.#circuits = circuits;
    this.#inFlight = inFlight;
    this.shared = shared;
    this.#told = told;
    inFlight.add(() => this.#admit());
  }

  /**
   * A place under way: at once where nothing speaks against it.
   *
   * @param isFirst goes ahead of the others that wait
   * @throws EndpointDown, LeftAlone; the signal's reason when aborted
   */
  enter(asking: Asking, isFirst: boolean): Place | Promise<Place> {
    const refusal = this.#refusal();
    if (refusal) throw refusal;
    if (this.#queue.length === 0 && this.#waitFor(asking.tokens) === 0) {
      return this.#place(asking.tokens);
    }
    return this.#wait(asking, isFirst);
  }

  /**
   * Waits until the limits that it shares with other processes let a request go.
   *
   * @throws LeftAlone; the signal's reason when aborted
   */
  take(shared: SharedLimits, asking: Asking): Promise<Spent> {
    const { tokens, limit, signal } = asking;
    const take = async () => {
      for (;;) {
        signal.throwIfAborted();
        const taken = await shared.take(tokens);
        if (typeof taken !== 'number') return taken;
        if (taken > limit.left) throw new LeftAlone(taken);
        this.#tellOnce(taken);
        await sleep(Math.min(Math.ceil(taken), LOOK), undefined, { signal }).catch(() => {});
      }
    };
    return standingStill(asking, () => this.#oneByOne(take));
  }

  /**
   * A request failed for good.
   *
   * @param isReached whether its endpoint answered anything
   */
  failed(why: string, isReached: boolean): void {
    const circuit = this.#circuits[isReached ? 1 : 0];
    if (!circuit.failed(why, performance.now())) return;
    this.#told.isDown(why);
    this.#admit();
  }

  /** An answer came, good or bad. @param isSound whether the endpoint works */
  answered(isSound: boolean): void {
    const [endpoint, own] = this.#circuits;
    const wasAway = endpoint.answered();
    const wasDown = isSound && own.answered();
    if (wasAway || wasDown) this.#told.answersAgain();
  }

  async #wait(asking: Asking, isFirst: boolean): Promise<Place> {
    const { limit, signal, tokens } = asking;
    signal.throwIfAborted();
    let abort = () => {};
    const admitted = () =>
      new Promise<Place>((go, fail) => {
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
    return standingStill(asking, admitted).finally(() =>
      signal.removeEventListener('abort', abort),
    );
  }

  #leave(waiting: Waiting): void {
    const index = this.#queue.indexOf(waiting);
    if (index >= 0) this.#queue.splice(index, 1);
    this.#admit();
  }

  /** Lets those go who may, and looks again when the next one may. */
  #admit(): void {
    clearTimeout(this.#timer);
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      const wait = this.#waitFor(first.tokens);
      const refusal = this.#refusal() ?? (isTooLong(wait, first) ? new LeftAlone(wait) : undefined);
      if (!refusal && wait > 0) {
        this.#lookAgain(wait);
        return;
      }
      this.#queue.shift();
      if (refusal) first.fail(refusal);
      else first.go(this.#place(first.tokens));
    }
  }

  /** Who has no room is let in by whoever leaves. */
  #lookAgain(wait: number): void {
    // To wait for our own bound is nothing that the endpoint asks for.
    if (Number.isFinite(wait) || !this.#pace.hasRoom) this.#tellOnce(wait);
    if (Number.isFinite(wait)) this.#timer = setTimeout(() => this.#admit(), Math.ceil(wait));
  }

  #tellOnce(wait: number): void {
    if (wait <= WORTH_TELLING || this.#hasTold) return;
    this.#hasTold = true;
    this.#told.isWaiting();
  }

  /** Milliseconds; infinite until another leaves. */
  #waitFor(tokens: number): number {
    if (!this.#pace.hasRoom) return Number.POSITIVE_INFINITY;
    const wait = this.#pace.waitFor(tokens, performance.now());
    return wait === 0 && !this.#inFlight.hasRoom ? Number.POSITIVE_INFINITY : wait;
  }

  #refusal(): EndpointDown | undefined {
    const now = performance.now();
    for (const circuit of this.#circuits) {
      const why = circuit.refusal(now);
      if (why !== undefined) return new EndpointDown(why);
    }
    return undefined;
  }

  #place(tokens: number): Place {
    const now = performance.now();
    for (const circuit of this.#circuits) circuit.asked(now);
    this.#inFlight.begin();
    return new Place(this.#pace, this.#pace.begin(tokens), this.#inFlight);
  }
}

/** Waits for what counts against no time limit. */
async function standingStill<Result>(
  { limit, waits }: Pick<Asking, 'limit' | 'waits'>,
  work: () => Promise<Result>,
): Promise<Result> {
  limit.waits(true);
  waits?.(true);
  try {
    return await work();
  } finally {
    waits?.(false);
    limit.waits(false);
  }
}

function isTooLong(wait: number, { limit }: Waiting): boolean {
  return Number.isFinite(wait) && wait > limit.left;
}

/** One request under way. */
export class Place {
  readonly #pace: Pace;
  readonly #sent: Sent;
  readonly #inFlight: InFlight;
  #isLeft = false;

  constructor(pace: Pace, sent: Sent, inFlight: InFlight) {
    this.#pace = pace;
    this.#sent = sent;
    this.#inFlight = inFlight;
  }

  heard(status: number, headers: Headers): void {
    this.#pace.heard(this.#sent, status, headers);
  }

  leave(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.#pace.end();
    this.#inFlight.end();
  }
}

/** A request that was refused so often is refused for another reason than its haste. */
const REFUSALS = 10;

/** What came of one attempt. */
interface Received {
  readonly status: number;
  readonly headers: Headers;
  /** Whether a refusal is one for good, whenever it is asked again. */
  readonly isFinal?: boolean;
}

/** The last attempt. Its place is the caller's to leave. */
interface Served<Answer> {
  readonly answer: Answer;
  readonly place: Place;
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
export async function inLine<Answer extends Received>(
  line: Line,
  asking: Asking,
  send: () => Promise<Answer>,
): Promise<Served<Answer>> {
  for (let refusals = 0; ; refusals += 1) {
    const entered = line.enter(asking, refusals > 0);
    // Awaiting what is there already would cost a turn of the loop.
    const place = entered instanceof Promise ? await entered : entered;
    const { shared } = line;
    let answer: Answer;
    try {
      const taken = shared && (await line.take(shared, asking));
      answer = await send();
      if (taken) {
        const { status, headers } = answer;
        // The answer is there, even if the others cannot be told.
        const told = () => shared.heard(taken, status, headers).catch(() => {});
        await standingStill(asking, told);
      }
    } catch (error) {
      place.leave();
      throw error;
    }
    const { status, headers } = answer;
    place.heard(status, headers);
    line.answered(status < 500 && status !== 429);
    const asked = askedWait(headers);
    if (asked !== undefined && asked > asking.limit.left)
      return { answer, place, refusedWait: asked };
    if (status !== 429 || answer.isFinal || refusals + 1 >= REFUSALS) return { answer, place };
    place.leave();
  }
}

/** The requests in flight at one endpoint, of all its lines together. */
export class InFlight {
  readonly #max: number;
  #count = 0;
  #lines: (() => void)[] = [];

  /** @param max how many there may be at once */
  constructor(max: number) {
    this.#max = max;
  }

  get hasRoom(): boolean {
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
const FAILURES = 3;

/** Milliseconds until one request tries again whether it is still down. */
const REST = 30_000;

/** Keeps requests from an endpoint that is down, so that each of them fails at once. */
export class Circuit {
  #failures = 0;
  /** Why the last request failed, while nothing is to be asked. */
  #why: string | undefined;
  #nextTry = 0;

  /** @returns why there is no asking now */
  refusal(now: number): string | undefined {
    return now < this.#nextTry ? this.#why : undefined;
  }

  /** Somebody asks. Where that is a try after a rest, it is the only one. */
  asked(now: number): void {
    if (this.#why !== undefined) this.#nextTry = now + REST;
  }

  /** @returns whether it has just become clear that the endpoint is down */
  failed(why: string, now: number): boolean {
    this.#failures += 1;
    if (this.#failures < FAILURES) return false;
    const isNew = this.#why === undefined;
    this.#why = why;
    this.#nextTry = now + REST;
    return isNew;
  }

  /** @returns whether it was down */
  answered(): boolean {
    const wasDown = this.#why !== undefined;
    this.#failures = 0;
    this.#why = undefined;
    return wasDown;
  }
}
