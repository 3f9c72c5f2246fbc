/** Work that is done some time after it is asked for, once for all who ask meanwhile. */
export class Paced {
  readonly #work: () => void;
  readonly #pace: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param pace in milliseconds */
  constructor(pace: number, work: () => void) {
    this.#pace = pace;
    this.#work = work;
  }

  later(): void {
    this.#timer ??= setTimeout(() => this.now(), this.#pace);
  }

  now(): void {
    this.dispose();
    this.#work();
  }

  /** What was asked for is not done. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
