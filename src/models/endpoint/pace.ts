import { Allowance, type Mark } from './allowance.ts';
import { allowed, askedWait } from './headers.ts';

/** Milliseconds that nobody asks after a first refusal without a word about when to come back. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;

/** Up to a quarter less, so that those who were refused together do not come back together. */
export function jittered(pause: number): number {
  return pause * (0.75 + Math.random() / 4);
}

/** A request under way. */
export interface Sent {
  readonly order: number;
  readonly requests: Mark;
  readonly tokens: Mark;
}

/**
 * How fast an endpoint may be asked, as learnt from what it answers. Until it refuses a request or
 * names its limits there is none. Of requests at once one more is tried for each round without a
 * refusal, and half of them after one.
 */
export class Pace {
  readonly #requests = new Allowance();
  readonly #tokens = new Allowance();
  #order = 0;
  #under = 0;
  /** Requests at once. */
  #room = Number.POSITIVE_INFINITY;
  #pausedUntil = 0;
  /** The last request that was sent before the last halving: refusals up to it say nothing new. */
  #halvedAt = 0;
  #halvings = 0;

  /** Whether one more has room beside those under way. */
  get hasRoom(): boolean {
    return this.#under < Math.floor(this.#room);
  }

  /** Milliseconds until a request of so many tokens may be sent. */
  waitFor(tokens: number, now: number): number {
    return Math.max(
      0,
      this.#pausedUntil - now,
      this.#requests.waitFor(1, now),
      this.#tokens.waitFor(tokens, now),
    );
  }

  begin(tokens: number): Sent {
    this.#order += 1;
    this.#under += 1;
    const order = this.#order;
    return {
      order,
      requests: { order, spent: this.#requests.spend(1) },
      tokens: { order, spent: this.#tokens.spend(tokens) },
    };
  }

  end(): void {
    this.#under -= 1;
  }

  /** Learns from an answer. */
  heard(sent: Sent, status: number, headers: Headers): void {
    const now = performance.now();
    const requests = allowed(headers, 'requests');
    const tokens = allowed(headers, 'tokens');
    const isRefused = status === 429;
    if (isRefused) {
      this.#requests.misjudged(sent.requests);
      this.#tokens.misjudged(sent.tokens);
    }
    if (requests) this.#requests.learn(requests, sent.requests, now);
    if (tokens) this.#tokens.learn(tokens, sent.tokens, now);
    const asked = askedWait(headers);
    if (asked !== undefined && (isRefused || status >= 500)) this.#pause(asked, now);
    if (isRefused) this.#slowDown(sent, asked !== undefined, now);
    else if (status < 500) this.#speedUp();
  }

  #slowDown({ order }: Sent, isAsked: boolean, now: number): void {
    if (order <= this.#halvedAt) return;
    this.#halvedAt = this.#order;
    this.#room = Math.max(1, Math.min(this.#room, this.#under) / 2);
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#halvings);
    this.#halvings += 1;
    if (!isAsked) this.#pause(jittered(pause), now);
  }

  #speedUp(): void {
    this.#halvings = 0;
    this.#room += 1 / this.#room;
  }

  #pause(wait: number, now: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, now + wait);
  }
}
