import { askedWait } from './headers.ts';
import { Limits, type Spent } from './limits.ts';

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
  readonly spent: Spent;
}

/**
 * How fast an endpoint may be asked, as learnt from what it answers. Until it refuses a request or
 * names its limits there is none. Of requests at once one more is tried for each round without a
 * refusal, and half of them after one.
 */
export class Pace {
  readonly #limits = new Limits();
  #order = 0;
  #under = 0;
  /** Requests at once. */
  #room = Number.POSITIVE_INFINITY;
  /** The last request that was sent before the last halving: refusals up to it say nothing new. */
  #halvedAt = 0;
  #halvings = 0;

  /** Whether one more has room beside those under way. */
  get hasRoom(): boolean {
    return this.#under < Math.floor(this.#room);
  }

  /** Milliseconds until a request of so many tokens may be sent. */
  waitFor(tokens: number, now: number): number {
    return this.#limits.waitFor(tokens, now);
  }

  begin(tokens: number): Sent {
    this.#order += 1;
    this.#under += 1;
    return { order: this.#order, spent: this.#limits.spend(tokens) };
  }

  end(): void {
    this.#under -= 1;
  }

  /** Learns from an answer. */
  heard(sent: Sent, status: number, headers: Headers): void {
    const now = performance.now();
    this.#limits.heard(sent.spent, status, headers, now);
    if (status === 429) this.#slowDown(sent, askedWait(headers) !== undefined, now);
    else if (status < 500) this.#speedUp();
  }

  #slowDown({ order }: Sent, isAsked: boolean, now: number): void {
    if (order <= this.#halvedAt) return;
    this.#halvedAt = this.#order;
    this.#room = Math.max(1, Math.min(this.#room, this.#under) / 2);
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#halvings);
    this.#halvings += 1;
    if (!isAsked) this.#limits.pause(jittered(pause), now);
  }

  #speedUp(): void {
    this.#halvings = 0;
    this.#room += 1 / this.#room;
  }
}
