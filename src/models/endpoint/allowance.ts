import type { Allowed } from './headers.ts';

/** How far requests had come when one of them was sent. */
export interface Mark {
  /** Its place among all requests, from 1. */
  readonly order: number;
  /** All that had been spent by then, its own included. */
  readonly spent: number;
}

/** What is known of an allowance, as JSON. */
export interface AllowanceState {
  readonly spent: number;
  readonly known?: (Allowed & { readonly at: number; readonly mark: Mark }) | undefined;
  readonly refills: boolean;
  readonly window: number;
}

const NOTHING: AllowanceState = { spent: 0, refills: true, window: 0 };

/**
 * Requests, or tokens, that may be spent at the moment, by what the endpoint said last. Until it says
 * something there is no limit.
 */
export class Allowance {
  #spent: number;
  #known: AllowanceState['known'];
  /** What is spent comes back bit by bit, as at OpenAI; elsewhere all at once, at the end of a window. */
  #refills: boolean;
  /** Milliseconds of a window, as far as is known. */
  #window: number;

  constructor({ spent, known, refills, window }: AllowanceState = NOTHING) {
    this.#spent = spent;
    this.#known = known;
    this.#refills = refills;
    this.#window = window;
  }

  get state(): AllowanceState {
    return {
      spent: this.#spent,
      known: this.#known,
      refills: this.#refills,
      window: this.#window,
    };
  }

  /** @returns all that was spent */
  spend(amount: number): number {
    this.#spent += amount;
    return this.#spent;
  }

  /** Milliseconds until so much may be spent. */
  waitFor(amount: number, now: number): number {
    const known = this.#known;
    if (!known) return 0;
    const { limit, remaining, reset, at, mark } = known;
    const whole = Math.max(limit ?? remaining, remaining);
    const passed = now - at;
    // What is more than the whole limit goes when all of it is there.
    const needed = Math.min(amount, whole) + this.#spent - mark.spent;
    if (needed <= remaining) return 0;
    const rate = limit === undefined ? 0 : (limit - remaining) / reset;
    if (this.#refills && rate > 0) return Math.max(0, (needed - remaining) / rate - passed);
    if (passed < reset) return reset - passed;
    // The window is over: all is there again, until the endpoint says more.
    this.#known = {
      ...known,
      remaining: whole,
      reset: this.#window,
      at: now,
      mark: { order: mark.order, spent: this.#spent },
    };
    return 0;
  }

  /** @param sent the mark of the request that was answered so */
  learn(allowed: Allowed, sent: Mark, now: number): void {
    if (this.#known && this.#known.mark.order > sent.order) return;
    if (this.#known && !isSameRefill(this.#known, allowed)) this.#refills = false;
    this.#window = Math.max(this.#window, allowed.reset);
    this.#known = { ...allowed, at: now, mark: sent };
  }

  /** A request was refused that there should have been room for. */
  misjudged(sent: Mark): void {
    if (this.#known && this.#known.mark.order < sent.order) this.#refills = false;
  }
}

/** Resets shorter than this are rounded too much to tell anything. */
const TELLING = 20;

/** What comes back bit by bit takes longer to be whole the more of it was spent; a window just ends. */
function isSameRefill(one: Allowed, other: Allowed): boolean {
  const [before, after] = [timeOfAll(one), timeOfAll(other)];
  if (before === undefined || after === undefined) return true;
  return Math.abs(before - after) < Math.max(before, after) / 4;
}

function timeOfAll({ limit, remaining, reset }: Allowed): number | undefined {
  if (limit === undefined || remaining >= limit || reset < TELLING) return undefined;
  return (reset * limit) / (limit - remaining);
}
