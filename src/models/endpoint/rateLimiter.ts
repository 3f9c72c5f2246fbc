/** Milliseconds that an endpoint asks to wait: by retry-after-ms, else by Retry-After in seconds or as a date. */
export function parseRetryAfter(headers: Headers): number | undefined {
  const given = headers.get('retry-after') ?? '';
  const wait =
    Number.parseFloat(headers.get('retry-after-ms') ?? '') || Number.parseFloat(given) * 1000;
  if (!Number.isNaN(wait)) return wait;
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : date - Date.now();
}

/** What an endpoint still allows of requests, or of tokens. */
interface RateLimitHeaders {
  /** Undefined where it is not said. */
  readonly limit?: number | undefined;
  readonly remaining: number;
  /** Milliseconds until all of the limit is there again. */
  readonly reset: number;
}

/** What `x-ratelimit-*` say, as OpenAI, Azure and many gateways send them; undefined where they say too little. */
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

/** Some say -1 or less for no limit. */
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

/** Milliseconds of `6m0s`, `20ms`, `1h2m3.5s`, or of plain seconds. */
function parseDuration(text: string | null): number | undefined {
  if (text === null) return undefined;
  const given = text.trim();
  if (/^\d+(?:\.\d+)?$/.test(given)) return Number(given) * 1_000;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(given)) return undefined;
  const parts = [...given.matchAll(/([\d.]+)(ms|[smhd])/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
}

/** How far requests had come when one of them was sent. */
interface Checkpoint {
  /** Its place among all requests, from 1. */
  readonly order: number;
  /** All that had been spent by then, its own included. */
  readonly spent: number;
}

/** What is known of an allowance, as JSON. */
interface RateLimitState {
  readonly spent: number;
  readonly known?:
    | (RateLimitHeaders & { readonly at: number; readonly mark: Checkpoint })
    | undefined;
  /** What is spent comes back bit by bit, as at OpenAI; elsewhere all at once, at the end of a window. */
  readonly refills: boolean;
  /** Milliseconds of a window, as far as is known. */
  readonly window: number;
}

/**
 * Requests, or tokens, that may be spent at the moment, by what the endpoint said last. Until it says
 * something there is no limit.
 */
class RateLimit {
  #state: RateLimitState;

  constructor(state: RateLimitState = { spent: 0, refills: true, window: 0 }) {
    this.#state = state;
  }

  get state(): RateLimitState {
    const { spent, known, refills, window } = this.#state;
    return { spent, known, refills, window };
  }

  /** @returns all that was spent */
  spend(amount: number): number {
    const spent = this.#state.spent + amount;
    this.#state = { ...this.#state, spent };
    return spent;
  }

  /** Milliseconds until so much may be spent. */
  waitFor(amount: number, now: number): number {
    const { known, spent, refills, window } = this.#state;
    if (!known) return 0;
    const { limit, remaining, reset, at, mark } = known;
    const whole = Math.max(limit ?? remaining, remaining);
    const passed = now - at;
    // What is more than the whole limit goes when all of it is there.
    const needed = Math.min(amount, whole) + spent - mark.spent;
    if (needed <= remaining) return 0;
    const rate = limit === undefined ? 0 : (limit - remaining) / reset;
    if (refills && rate > 0) return Math.max(0, (needed - remaining) / rate - passed);
    if (passed < reset) return reset - passed;
    // The window is over: all is there again, until the endpoint says more.
    const next = { remaining: whole, reset: window, at: now, mark: { order: mark.order, spent } };
    this.#state = { ...this.#state, known: { ...known, ...next } };
    return 0;
  }

  /** @param sent the mark of the request that was answered so */
  learn(allowed: RateLimitHeaders, sent: Checkpoint, now: number): void {
    const { known, refills, window } = this.#state;
    if (known && known.mark.order > sent.order) return;
    this.#state = {
      ...this.#state,
      known: { ...allowed, at: now, mark: sent },
      refills: refills && (!known || isGradualRefill(known, allowed)),
      window: Math.max(window, allowed.reset),
    };
  }

  /** A request was refused that there should have been room for. */
  onUnexpectedRefusal(sent: Checkpoint): void {
    const { known } = this.#state;
    if (known && known.mark.order < sent.order) this.#state = { ...this.#state, refills: false };
  }
}

/** Resets shorter than this are rounded too much to tell anything. */
const MIN_RESET = 20;

/** What comes back bit by bit takes longer to be whole the more of it was spent; a window just ends. */
function isGradualRefill(one: RateLimitHeaders, other: RateLimitHeaders): boolean {
  const [before, after] = [fullRefillTimeOf(one), fullRefillTimeOf(other)];
  if (before === undefined || after === undefined) return true;
  return Math.abs(before - after) < Math.max(before, after) / 4;
}

function fullRefillTimeOf({ limit, remaining, reset }: RateLimitHeaders): number | undefined {
  if (limit === undefined || remaining >= limit || reset < MIN_RESET) return undefined;
  return (reset * limit) / (limit - remaining);
}

/** What a request took of the limits. */
export interface SpentQuota {
  readonly requests: Checkpoint;
  readonly tokens: Checkpoint;
}

/** All that is known of an endpoint's limits, as JSON. Times are milliseconds of one clock. */
export interface EndpointLimitsState {
  readonly order: number;
  readonly pausedUntil: number;
  readonly requests: RateLimitState;
  readonly tokens: RateLimitState;
}

/** How many requests and tokens an endpoint lets through, by its headers and the waits that it asks for. */
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

  /** Milliseconds until a request of so many tokens may be sent. */
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

  /** Learns from an answer. */
  learnFrom(spent: SpentQuota, status: number, headers: Headers, now: number): void {
    const requests = parseRateLimit(headers, 'requests');
    const tokens = parseRateLimit(headers, 'tokens');
    const isRefused = status === 429;
    if (isRefused) {
      this.#requests.onUnexpectedRefusal(spent.requests);
      this.#tokens.onUnexpectedRefusal(spent.tokens);
    }
    if (requests) this.#requests.learn(requests, spent.requests, now);
    if (tokens) this.#tokens.learn(tokens, spent.tokens, now);
    const retryAfter = parseRetryAfter(headers);
    if (retryAfter !== undefined && (isRefused || status >= 500)) this.pause(retryAfter, now);
  }

  pause(wait: number, now: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, now + wait);
  }
}

/** The limits of an endpoint that other processes ask as well: what one of them learns or spends, all know. */
export interface SharedLimits {
  /** Spends for a request. @returns milliseconds until it may be tried again, where it may not now */
  take(tokens: number): Promise<SpentQuota | number>;
  /** Learns from an answer. */
  learnFrom(spent: SpentQuota, status: number, headers: Headers): Promise<void>;
}

/** Milliseconds that nobody asks after a first refusal without a word about when to come back. */
const INITIAL_PAUSE = 500;
const MAX_PAUSE = 30_000;

/** Up to a quarter less, so that those who were refused together do not come back together. */
export function withJitter(pause: number): number {
  return pause * (0.75 + Math.random() / 4);
}

/** A request under way. */
export interface SentRequest {
  readonly order: number;
  readonly spent: SpentQuota;
}

/**
 * How fast an endpoint may be asked, as learnt from what it answers. Until it refuses a request or
 * names its limits there is none. Of requests at once one more is tried for each round without a
 * refusal, and half of them after one.
 */
export class RateLimiter {
  readonly #limits = new EndpointLimits();
  #order = 0;
  #inFlight = 0;
  /** Requests at once. */
  #maxInFlight = Number.POSITIVE_INFINITY;
  /** The last request that was sent before the last halving: refusals up to it say nothing new. */
  #halvedAt = 0;
  #halvings = 0;

  /** Whether one more has room beside those under way. */
  get hasCapacity(): boolean {
    return this.#inFlight < Math.floor(this.#maxInFlight);
  }

  /** Milliseconds until a request of so many tokens may be sent. */
  waitFor(tokens: number, now: number): number {
    return this.#limits.waitFor(tokens, now);
  }

  begin(tokens: number): SentRequest {
    this.#order += 1;
    this.#inFlight += 1;
    return { order: this.#order, spent: this.#limits.spend(tokens) };
  }

  end(): void {
    this.#inFlight -= 1;
  }

  /** Learns from an answer. */
  learnFrom(sent: SentRequest, status: number, headers: Headers): void {
    const now = performance.now();
    this.#limits.learnFrom(sent.spent, status, headers, now);
    if (status === 429) this.#slowDown(sent, parseRetryAfter(headers) !== undefined, now);
    else if (status < 500) this.#speedUp();
  }

  #slowDown({ order }: SentRequest, isAsked: boolean, now: number): void {
    if (order <= this.#halvedAt) return;
    this.#halvedAt = this.#order;
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
