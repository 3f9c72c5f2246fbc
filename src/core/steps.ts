import { setImmediate } from 'node:timers/promises';

/** Milliseconds that long work goes on before others have their turn. */
const TURN = 10;

/**
 * To be awaited between the steps of long work, so that others have their turn, and what comes meanwhile is
 * heard: that nobody waits for it any more.
 *
 * @returns rejects with the signal's reason once it is aborted
 */
export function stepsOf(signal?: AbortSignal): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began >= TURN) {
      await setImmediate();
      began = performance.now();
    }
    signal?.throwIfAborted();
  };
}
