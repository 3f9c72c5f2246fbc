/**
 * Runs one call at a time. Calls made during a run share the next run, because the current run's result may be
 * outdated. An older result never replaces a newer one.
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
    if (doing) {
      next ??= doing.then(begin, begin);
      return next;
    }
    doing = begin();
    return doing;
  };
}

/** Runs work at most once per interval: the first request starts an interval, and the work runs at its end. */
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

  /** Runs the work now and cancels any scheduled run. */
  flush(): void {
    this.dispose();
    this.#work();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
