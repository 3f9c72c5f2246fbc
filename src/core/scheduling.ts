/**
 * Does a piece of work one at a time. Who asks while it is under way gets what comes of it once it is done again: what
 * it finds now may be older than the question, and what it found early is never told after what it found late.
 */
export function coalesce<Found>(work: () => Promise<Found>): () => Promise<Found> {
  let doing: Promise<Found> | undefined;
  let next: Promise<Found> | undefined;
  const begin = async () => {
    next = undefined;
    try {
      return await work();
    } finally {
      doing = next;
    }
  };
  return () => {
    if (!doing) {
      doing = begin();
      return doing;
    }
    next ??= doing.then(begin, begin);
    return next;
  };
}

/** Runs work at most once per interval, at the end of the interval that the first request begins. */
export class Throttle {
  readonly #work: () => void;
  readonly #interval: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param interval in milliseconds */
  constructor(interval: number, work: () => void) {
    this.#work = work;
    this.#interval = interval;
  }

  schedule(): void {
    this.#timer ??= setTimeout(() => this.flush(), this.#interval);
  }

  /** Runs the work now, and drops what is scheduled. */
  flush(): void {
    this.dispose();
    this.#work();
  }

  /** Drops what is scheduled. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
