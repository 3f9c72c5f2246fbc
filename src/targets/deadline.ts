import { TargetError } from './target.ts';

/**
 * Waits for work, but no longer than `timeout` milliseconds and not past an abort.
 *
 * @throws TargetError `target-timeout`; the signal's reason when aborted
 */
export async function withDeadline<Result>(
  work: Promise<Result>,
  timeout: number,
  signal: AbortSignal,
): Promise<Result> {
  signal.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  let abort: (() => void) | undefined;
  const bound = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const message = `The target did not reply within ${timeout} ms. Give it a longer \`timeout\` if it is slow.`;
      reject(new TargetError('target-timeout', message));
    }, timeout);
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work, bound]);
  } finally {
    clearTimeout(timer);
    if (abort) signal.removeEventListener('abort', abort);
  }
}
