/** Executes runs one at a time, in order. Doesn't use a package, because activation must not load one. */
export class RunQueue {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when this run ends. */
  add(run: () => Promise<void>): Promise<void> {
    const done = this.#last.then(run);
    this.#last = done.catch(() => {});
    return done;
  }
}
