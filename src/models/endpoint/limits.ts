import { Allowance, type AllowanceState, type Mark } from './allowance.ts';
import { allowed, askedWait } from './headers.ts';

/** What a request took of the limits. */
export interface Spent {
  readonly requests: Mark;
  readonly tokens: Mark;
}

/** All that is known of an endpoint's limits, as JSON. Times are milliseconds of one clock. */
export interface LimitsState {
  readonly order: number;
  readonly pausedUntil: number;
  readonly requests: AllowanceState;
  readonly tokens: AllowanceState;
}

/** How many requests and tokens an endpoint lets through, by its headers and the waits that it asks for. */
export class Limits {
  readonly #requests: Allowance;
  readonly #tokens: Allowance;
  #order: number;
  #pausedUntil: number;

  constructor(state?: LimitsState) {
    this.#requests = new Allowance(state?.requests);
    this.#tokens = new Allowance(state?.tokens);
    this.#order = state?.order ?? 0;
    this.#pausedUntil = state?.pausedUntil ?? 0;
  }

  get state(): LimitsState {
    return {
      order: this.#order,
      pausedUntil: this.#pausedUntil,
      requests: this.#requests.state,
      tokens: this.#tokens.state,
    };
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

  spend(tokens: number): Spent {
    this.#order += 1;
    const order = this.#order;
    return {
      requests: { order, spent: this.#requests.spend(1) },
      tokens: { order, spent: this.#tokens.spend(tokens) },
    };
  }

  /** Learns from an answer. */
  heard(spent: Spent, status: number, headers: Headers, now: number): void {
    const requests = allowed(headers, 'requests');
    const tokens = allowed(headers, 'tokens');
    const isRefused = status === 429;
    if (isRefused) {
      this.#requests.misjudged(spent.requests);
      this.#tokens.misjudged(spent.tokens);
    }
    if (requests) this.#requests.learn(requests, spent.requests, now);
    if (tokens) this.#tokens.learn(tokens, spent.tokens, now);
    const asked = askedWait(headers);
    if (asked !== undefined && (isRefused || status >= 500)) this.pause(asked, now);
  }

  pause(wait: number, now: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, now + wait);
  }
}
