/** No time limit: the most milliseconds that a timer takes. */
export const NO_TIME_LIMIT = 2 ** 31 - 1;

/** A time limit that stands still while what it limits waits in line. */
export class TimeLimit {
  readonly #onOver: () => void;
  #timer: NodeJS.Timeout | undefined;
  #began = performance.now();
  /** How many waits are under way. */
  #waits = 0;
  #left: number;
  #waited = 0;

  /** @param whole milliseconds */
  constructor(whole: number, onOver: () => void) {
    this.#left = whole;
    this.#onOver = onOver;
    this.#start();
  }

  /** Milliseconds that are left. */
  get left(): number {
    return this.#waits > 0 ? this.#left : this.#left - (performance.now() - this.#began);
  }

  /** Milliseconds that were spent in line. */
  get waited(): number {
    return this.#waits > 0 ? this.#waited + performance.now() - this.#began : this.#waited;
  }

  /** Hears of each wait when it begins and when it is over. */
  readonly waits = (isWaiting: boolean): void => {
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
    this.#timer = setTimeout(this.#onOver, this.#left);
  }
}
