/** No time limit: the most milliseconds that a timer takes. */
export const NO_TIME_LIMIT = 2 ** 31 - 1;

/** A time limit that stands still while what it limits waits in line. */
export class TimeLimit {
  readonly #onTimeout: () => void;
  #timer: NodeJS.Timeout | undefined;
  #began = performance.now();
  /** How many waits are under way. */
  #waits = 0;
  #left: number;
  #waited = 0;

  /** @param timeout milliseconds */
  constructor(timeout: number, onTimeout: () => void) {
    this.#left = timeout;
    this.#onTimeout = onTimeout;
    this.#start();
  }

  /** Milliseconds that are left. */
  get remaining(): number {
    return this.#waits > 0 ? this.#left : this.#left - (performance.now() - this.#began);
  }

  /** Milliseconds that were spent in line. */
  get waited(): number {
    return this.#waits > 0 ? this.#waited + performance.now() - this.#began : this.#waited;
  }

  /** Hears of each wait when it begins and when it is over. */
  readonly onWait = (isWaiting: boolean): void => {
    this.#waits += isWaiting ? 1 : -1;
    const now = performance.now();
    if (isWaiting && this.#waits === 1) {
      this.#left -= now - this.#began;
      this.end();
    } else if (!isWaiting && this.#waits === 0) {
      this.#waited += now - this.#began;
      this.#start();
    } else return;
    this.#began = now;
  };

  end(): void {
    clearTimeout(this.#timer);
  }

  #start(): void {
    this.#began = performance.now();
    this.#timer = setTimeout(this.#onTimeout, this.#left);
  }
}

/**
 * Does work, but no longer than `timeout` milliseconds and not past an abort; its own signal then tells it to stop. Time in the
 * queue does not count.
 *
 * @param late the error if it takes longer
 * @throws the error of `late`; the signal's reason when aborted
 */
export async function withTimeLimit<Result>(
  work: (signal: AbortSignal, limit: TimeLimit) => Promise<Result>,
  timeout: number,
  signal: AbortSignal,
  late: (timeout: number) => Error,
): Promise<Result> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const abort = () => stop.abort(signal.reason);
  const limit = new TimeLimit(timeout, () => stop.abort(late(timeout)));
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(stop.signal, limit), rejectOnAbort(stop.signal)]);
  } finally {
    limit.end();
    signal.removeEventListener('abort', abort);
  }
}

/** Rejects with the signal's reason once it aborts. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
