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
