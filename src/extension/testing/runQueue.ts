/** Runs that go on one after the other: a second Run waits, and none is dropped. */
export class RunQueue {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when this run has ended. */
  add(run: () => Promise<void>): Promise<void> {
    const done = this.#last.then(run);
    this.#last = done.catch(() => {});
    return done;
  }
}
