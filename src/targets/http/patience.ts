import type { Line, Place } from '../../models/endpoint/line.ts';
import type { TimeLimit } from '../../models/endpoint/timeLimit.ts';
import { withDeadline } from '../deadline.ts';
import type { TargetHost } from '../target.ts';

/** Of one reply: how long it is waited for, and where. */
export interface Patience extends Pick<TargetHost, 'scrubber'> {
  readonly limit: TimeLimit;
  readonly line: Line;
  readonly signal: AbortSignal;
  /** That of its last request, until the reply is there. */
  place?: Place;
}

/** Waits for the replies of one conversation with a service. */
export class Waiting {
  readonly #of: Pick<Patience, 'line' | 'scrubber'>;
  readonly #timeout: number;
  /** Milliseconds that were spent in line. */
  waited = 0;

  /** @param timeout milliseconds that one reply may take */
  constructor(line: Line, scrubber: TargetHost['scrubber'], timeout: number) {
    this.#of = { line, scrubber };
    this.#timeout = timeout;
  }

  /** @throws TargetError; the signal's reason when aborted */
  async for<Reply>(
    signal: AbortSignal,
    ask: (patience: Patience) => Promise<Reply>,
  ): Promise<Reply> {
    return withDeadline(
      async (stop, limit) => {
        const patience: Patience = { ...this.#of, limit, signal: stop };
        try {
          return await ask(patience);
        } finally {
          patience.place?.leave();
          this.waited += limit.waited;
        }
      },
      this.#timeout,
      signal,
    );
  }
}
