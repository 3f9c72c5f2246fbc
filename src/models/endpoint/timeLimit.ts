/** The maximum delay of a timer, in milliseconds. With a longer delay, a timer fires at once. */
export const NO_TIME_LIMIT = 2 ** 31 - 1;

/** A time limit that pauses while its work waits in a queue. */
export class TimeLimit {
  readonly #onTimeout: () => void;
  #timer: NodeJS.Timeout | undefined;
  #began = performance.now();
  /** Number of waits in progress. */
  #waits = 0;
  #left: number;
  #waited = 0;

  /** @param timeout milliseconds */
  constructor(timeout: number, onTimeout: () => void) {
    this.#left = timeout;
    this.#onTimeout = onTimeout;
    this.#start();
  }

  /** Milliseconds. */
  get remaining(): number {
    return this.#waits > 0 ? this.#left : this.#left - (performance.now() - this.#began);
  }

  /** Milliseconds spent in queues. */
  get waited(): number {
    return this.#waits > 0 ? this.#waited + performance.now() - this.#began : this.#waited;
  }

  /** Call this when a wait begins and when it ends. */
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
    this.#timer = setTimeout(this.#onTimeout, Math.min(this.#left, NO_TIME_LIMIT));
  }
}

/**
 * Limits work to `timeout` milliseconds, not counting time in queues. The work's signal aborts when the time is up or
 * when `signal` aborts.
 *
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

export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
