/** Milliseconds to wait, according to retry-after-ms or else Retry-After, which contains seconds or a date. */
export function parseRetryAfter(headers: Headers): number | undefined {
  const given = headers.get('retry-after') ?? '';
  const wait =
    Number.parseFloat(headers.get('retry-after-ms') ?? '') || Number.parseFloat(given) * 1000;
  if (!Number.isNaN(wait)) return wait;
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : date - Date.now();
}

interface RateLimitHeaders {
  readonly limit?: number | undefined;
  readonly remaining: number;
  /** Milliseconds until the limit is fully available again. */
  readonly reset: number;
}

/** Reads the `x-ratelimit-*` headers that OpenAI, Azure, and many gateways send; undefined if they are incomplete. */
function parseRateLimit(
  headers: Headers,
  what: 'requests' | 'tokens',
): RateLimitHeaders | undefined {
  const [limit, remaining] = ['limit', 'remaining'].map((name) =>
    parseCount(headers.get(`x-ratelimit-${name}-${what}`)),
  );
  const reset = parseDuration(headers.get(`x-ratelimit-reset-${what}`));
  return remaining === undefined || reset === undefined ? undefined : { limit, remaining, reset };
}

/** Reads a number. Some endpoints send -1 or less for no limit. */
function parseCount(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text.trim()) ? Number(text) : undefined;
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds in a duration such as `6m0s`, `20ms`, `1h2m3.5s`, or plain seconds. */
function parseDuration(text: string | null): number | undefined {
  if (text === null) return undefined;
  const given = text.trim();
  if (/^\d+(?:\.\d+)?$/.test(given)) return Number(given) * 1_000;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(given)) return undefined;
  const parts = [...given.matchAll(/([\d.]+)(ms|[smhd])/gy)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
}

/** The state of the counters when a request was sent. */
interface Checkpoint {
  /** The request's number, from 1. */
  readonly order: number;
  /** Total spent so far, including this request. */
  readonly spent: number;
}

interface RateLimitState {
  readonly spent: number;
  readonly known?:
    | (RateLimitHeaders & { readonly at: number; readonly mark: Checkpoint })
    | undefined;
  /** True if the limit refills gradually, as OpenAI's does; false if it resets at the end of a window. */
  readonly refills: boolean;
  /** The longest window seen so far, in milliseconds. */
  readonly window: number;
}

/** A limit on requests or tokens, from the endpoint's latest headers; unlimited until the endpoint sends headers. */
class RateLimit {
  state: RateLimitState;

  constructor(state: RateLimitState = { spent: 0, refills: true, window: 0 }) {
    this.state = state;
  }

  /** @returns the total spent so far */
  spend(amount: number): number {
    const spent = this.state.spent + amount;
    this.state = { ...this.state, spent };
    return spent;
  }

  /** Milliseconds until `amount` may be spent. */
  waitFor(amount: number, now: number): number {
    const { known, spent, refills, window } = this.state;
    if (!known) return 0;
    const { limit, remaining, reset, at, mark } = known;
    const whole = Math.max(limit ?? remaining, remaining);
    const passed = now - at;
    // A request larger than the limit waits until the whole limit is available.
    const needed = Math.min(amount, whole) + spent - mark.spent;
    if (needed <= remaining) return 0;
    const rate = limit === undefined ? 0 : (limit - remaining) / reset;
    if (refills && rate > 0) return Math.max(0, (needed - remaining) / rate - passed);
    if (passed < reset) return reset - passed;
    // The window is over: the whole limit is available until the endpoint reports something else.
    const next = { remaining: whole, reset: window, at: now, mark: { order: mark.order, spent } };
    this.state = { ...this.state, known: { ...known, ...next } };
    return 0;
  }

  /** @param sent the checkpoint of the request that was answered */
  learn(allowed: RateLimitHeaders, sent: Checkpoint, now: number): void {
    const { known, refills, window } = this.state;
    if (known && known.mark.order > sent.order) return;
    this.state = {
      ...this.state,
      known: { ...allowed, at: now, mark: sent },
      refills: refills && (!known || isGradualRefill(known, allowed)),
      window: Math.max(window, allowed.reset),
    };
  }

  /** Called if the endpoint refused a request that seemed to be within the limit. */
  onUnexpectedRefusal(sent: Checkpoint): void {
    const { known } = this.state;
    if (known && known.mark.order < sent.order) this.state = { ...this.state, refills: false };
  }
}

/** Milliseconds. Shorter reset times are rounded too coarsely to be useful. */
const MIN_RESET = 20;

/**
 * Whether a limit refills gradually. A gradual refill takes longer the more was spent, whereas a window ends at a fixed
 * time.
 */
function isGradualRefill(one: RateLimitHeaders, other: RateLimitHeaders): boolean {
  const [before, after] = [fullRefillTimeOf(one), fullRefillTimeOf(other)];
  if (before === undefined || after === undefined) return true;
  return Math.abs(before - after) < Math.max(before, after) / 4;
}

function fullRefillTimeOf({ limit, remaining, reset }: RateLimitHeaders): number | undefined {
  if (limit === undefined || remaining >= limit || reset < MIN_RESET) return undefined;
  return (reset * limit) / (limit - remaining);
}

export interface SpentQuota {
  readonly requests: Checkpoint;
  readonly tokens: Checkpoint;
}

/** An endpoint's limits as JSON. All times are in milliseconds of the same clock. */
export interface EndpointLimitsState {
  readonly order: number;
  readonly pausedUntil: number;
  readonly requests: RateLimitState;
  readonly tokens: RateLimitState;
}

/** An endpoint's limits on requests and tokens, from its rate-limit headers and Retry-After. */
export class EndpointLimits {
  readonly #requests: RateLimit;
  readonly #tokens: RateLimit;
  #order: number;
  #pausedUntil: number;

  constructor(state?: EndpointLimitsState) {
    this.#requests = new RateLimit(state?.requests);
    this.#tokens = new RateLimit(state?.tokens);
    this.#order = state?.order ?? 0;
    this.#pausedUntil = state?.pausedUntil ?? 0;
  }

  get state(): EndpointLimitsState {
    return {
      order: this.#order,
      pausedUntil: this.#pausedUntil,
      requests: this.#requests.state,
      tokens: this.#tokens.state,
    };
  }

  /** Milliseconds until a request of this many tokens may be sent. */
  waitFor(tokens: number, now: number): number {
    return Math.max(
      0,
      this.#pausedUntil - now,
      this.#requests.waitFor(1, now),
      this.#tokens.waitFor(tokens, now),
    );
  }

  spend(tokens: number): SpentQuota {
    this.#order += 1;
    const order = this.#order;
    return {
      requests: { order, spent: this.#requests.spend(1) },
      tokens: { order, spent: this.#tokens.spend(tokens) },
    };
  }

  learnFrom(spent: SpentQuota, status: number, headers: Headers, now: number): void {
    const isRefused = status === 429;
    const limits = { requests: this.#requests, tokens: this.#tokens };
    for (const what of ['requests', 'tokens'] as const) {
      const allowed = parseRateLimit(headers, what);
      if (isRefused) limits[what].onUnexpectedRefusal(spent[what]);
      if (allowed) limits[what].learn(allowed, spent[what], now);
    }
    const retryAfter = parseRetryAfter(headers);
    if (retryAfter !== undefined && (isRefused || status >= 500)) this.pause(retryAfter, now);
  }

  pause(wait: number, now: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, now + wait);
  }
}

/** An endpoint's limits, shared by several processes. */
export interface SharedLimits {
  /** Spends quota for a request. @returns milliseconds until the next attempt if no quota is left */
  take(tokens: number): Promise<SpentQuota | number>;
  learnFrom(spent: SpentQuota, status: number, headers: Headers): Promise<void>;
}

/** Milliseconds to pause after a refusal without Retry-After. */
const INITIAL_PAUSE = 500;
const MAX_PAUSE = 30_000;

/** Shortens a pause by up to a quarter, so that requests that were refused together aren't repeated together. */
export function withJitter(pause: number): number {
  return pause * (0.75 + Math.random() / 4);
}

/**
 * Learns an endpoint's allowed rate from its answers; unlimited until a refusal or a rate-limit header. The number of
 * parallel requests grows by one per round without refusals, and a refusal halves it.
 */
export class RateLimiter {
  readonly #limits = new EndpointLimits();
  #inFlight = 0;
  #maxInFlight = Number.POSITIVE_INFINITY;
  /**
   * Number of the last request sent before the most recent halving. Refusals up to this number are ignored, because
   * they are outdated.
   */
  #halvedAt = 0;
  #halvings = 0;

  get hasCapacity(): boolean {
    return this.#inFlight < Math.floor(this.#maxInFlight);
  }

  /** Milliseconds until a request of this many tokens may be sent. */
  waitFor(tokens: number, now: number): number {
    return this.#limits.waitFor(tokens, now);
  }

  begin(tokens: number): SpentQuota {
    this.#inFlight += 1;
    return this.#limits.spend(tokens);
  }

  end(): void {
    this.#inFlight -= 1;
  }

  learnFrom(spent: SpentQuota, status: number, headers: Headers): void {
    const now = performance.now();
    this.#limits.learnFrom(spent, status, headers, now);
    if (status === 429) this.#slowDown(spent, parseRetryAfter(headers) !== undefined, now);
    else if (status < 500) this.#speedUp();
  }

  #slowDown({ requests }: SpentQuota, isAsked: boolean, now: number): void {
    if (requests.order <= this.#halvedAt) return;
    this.#halvedAt = this.#limits.state.order;
    this.#maxInFlight = Math.max(1, Math.min(this.#maxInFlight, this.#inFlight) / 2);
    const pause = Math.min(MAX_PAUSE, INITIAL_PAUSE * 2 ** this.#halvings);
    this.#halvings += 1;
    if (!isAsked) this.#limits.pause(withJitter(pause), now);
  }

  #speedUp(): void {
    this.#halvings = 0;
    this.#maxInFlight += 1 / this.#maxInFlight;
  }
}
