/** Runs one at a time: a second Run waits, and none is dropped. Kept here because activation loads no package. */
export class RunQueue {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when this run ends. */
  add(run: () => Promise<void>): Promise<void> {
    const done = this.#last.then(run);
    this.#last = done.catch(() => {});
    return done;
  }
}
