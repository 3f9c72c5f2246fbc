import { TimeLimit } from '../models/endpoint/timeLimit.ts';
import { TargetError } from './target.ts';

/**
 * Does work, but no longer than `timeout` milliseconds and not past an abort; its own signal then tells
 * it to stop. The time that it waits in line does not count.
 *
 * @param who does it, as the error calls it
 * @throws TargetError `target-timeout`; the signal's reason when aborted
 */
export async function withDeadline<Result>(
  work: (signal: AbortSignal, limit: TimeLimit) => Promise<Result>,
  timeout: number,
  signal: AbortSignal,
  who = 'The target',
): Promise<Result> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const abort = () => stop.abort(signal.reason);
  const limit = new TimeLimit(timeout, () => {
    const message = `${who} did not reply within ${timeout} ms. Raise its \`timeout\` if it needs longer.`;
    stop.abort(new TargetError('target-timeout', message));
  });
  signal.addEventListener('abort', abort, { once: true });
  const stopped = new Promise<never>((_resolve, reject) => {
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason), { once: true });
  });
  try {
    return await Promise.race([work(stop.signal, limit), stopped]);
  } finally {
    limit.end();
    signal.removeEventListener('abort', abort);
  }
}
