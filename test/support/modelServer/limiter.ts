import { httpError } from './faults.ts';
import type { Step } from './steps.ts';

export interface Limits {
  /** Maximum number of requests per window. */
  readonly requests: number;
  /** Length of a window in milliseconds. */
  readonly window: number;
  /** Whether responses say how many requests are left, and when to retry. */
  readonly tells: boolean;
}

/** An endpoint with a maximum number of requests per window, like those behind a gateway. */
export class Limiter {
  readonly #limits: Limits;
  #began = performance.now();
  #taken = 0;
  refused = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** The response to a request that arrives now. */
  answer(text: string): Step {
    const { requests, window, tells } = this.#limits;
    const now = performance.now();
    if (now - this.#began >= window) {
      this.#began = now;
      this.#taken = 0;
    }
    const left = Math.ceil(window - (now - this.#began));
    const headers = {
      'x-ratelimit-limit-requests': String(requests),
      'x-ratelimit-remaining-requests': String(Math.max(0, requests - this.#taken - 1)),
      'x-ratelimit-reset-requests': `${left}ms`,
    };
    if (this.#taken < requests) {
      this.#taken += 1;
      return { text, ...(tells && { headers }) };
    }
    this.refused += 1;
    const told = tells ? { ...headers, 'retry-after-ms': String(left) } : {};
    return httpError(429, 'Too many requests.', { headers: told });
  }
}

/**
 * An endpoint that answers the given number of concurrent requests and refuses others, without a hint about when to
 * retry.
 */
export class Counter {
  readonly #most: number;
  #under = 0;
  refused = 0;
  /** Maximum number of concurrent requests so far. */
  peak = 0;

  constructor(most: number) {
    this.#most = most;
  }

  async answer(text: string, takes: number): Promise<Step> {
    if (this.#under >= this.#most) {
      this.refused += 1;
      return httpError(429, 'Too many requests at once.');
    }
    this.#under += 1;
    this.peak = Math.max(this.peak, this.#under);
    await new Promise((done) => setTimeout(done, takes));
    this.#under -= 1;
    return text;
  }
}
