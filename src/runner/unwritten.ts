import type { Logger } from '../core/logger.ts';
import { UnwritableError } from '../disk/fileErrors.ts';

/** Files of ours that a run could not write. It goes on without them: its cases are not to blame. */
export class Unwritten {
  readonly #log: Logger;
  readonly #errors = new Map<string, UnwritableError>();

  constructor(log: Logger) {
    this.#log = log;
  }

  get errors(): UnwritableError[] {
    return [...this.#errors.values()];
  }

  /** Tells of each once. */
  note(error: UnwritableError): void {
    if (this.#errors.has(error.message)) return;
    this.#errors.set(error.message, error);
    this.#log.error(`${error.message} The run goes on without it.`);
  }

  /** Waits until something is written, or cannot be. */
  async tolerate(writing: Promise<void> | undefined): Promise<void> {
    try {
      await writing;
    } catch (error) {
      if (!(error instanceof UnwritableError)) throw error;
      this.note(error);
    }
  }
}
