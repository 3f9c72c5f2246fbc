/** Tells how long something takes, without the time that it waits in line. */
export class Stopwatch {
  readonly #began = performance.now();
  #waits = 0;
  #since = 0;
  #waited = 0;

  /** Hears of each wait when it begins and when it is over. */
  readonly waits = (isWaiting: boolean): void => {
    const before = this.#waits;
    this.#waits += isWaiting ? 1 : -1;
    if (before === 0) this.#since = performance.now();
    else if (this.#waits === 0) this.#waited += performance.now() - this.#since;
  };

  /** Milliseconds, once it is done. */
  get taken(): number {
    return performance.now() - this.#began - this.#waited;
  }
}
