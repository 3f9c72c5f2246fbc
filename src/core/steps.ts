import { setImmediate } from 'node:timers/promises';

/** Milliseconds that long work goes on before others have their turn. */
const TURN = 10;

/**
 * To be awaited between the steps of long work, so that what comes meanwhile is heard: that nobody
 * waits for it any more.
 *
 * @param signal without it the work goes on to its end
 * @returns rejects with the signal's reason once it is aborted
 */
export function stepsOf(signal: AbortSignal | undefined): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (signal && performance.now() - began >= TURN) {
      await setImmediate();
      began = performance.now();
    }
    signal?.throwIfAborted();
  };
}
