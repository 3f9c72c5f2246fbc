import { LIMITS, readable } from '../core/limits.ts';
import { TimeLimit } from '../models/endpoint/timeLimit.ts';
import { TargetError } from './target.ts';

/** Why a target's replies are no longer read; undefined if they are not too long. */
export function tooLong(reply: number, replies: number): string | undefined {
  if (reply > LIMITS.reply) return `The reply is longer than ${readable(LIMITS.reply)} characters.`;
  if (replies > LIMITS.replies) {
    return `The replies of this conversation add up to more than ${readable(LIMITS.replies)} characters.`;
  }
  return undefined;
}

/** Of who did not reply in time. @param who as the error calls it */
export function noReply(who = 'The target') {
  return (timeout: number) => {
    const message = `${who} did not reply within ${timeout} ms. Raise its \`timeout\` if it needs longer.`;
    return new TargetError('target-timeout', message);
  };
}

/** Of a program that did not start in time. */
export function notReady(timeout: number): TargetError {
  const message = `The program was not ready within ${timeout} ms. With \`ready: true\` it prints {"ready":true} once it can reply. Raise its \`timeout\` if it needs longer.`;
  return new TargetError('target-not-ready', message);
}

/** Of a module that did not load in time. */
export function notLoaded(timeout: number): TargetError {
  const message = `The module did not load within ${timeout} ms. Raise its \`timeout\` if it needs longer.`;
  return new TargetError('target-not-ready', message);
}

/**
 * Does work, but no longer than `timeout` milliseconds and not past an abort; its own signal then tells
 * it to stop. The time that it waits in line does not count.
 *
 * @param late the error if it takes longer
 * @throws TargetError of `late`; the signal's reason when aborted
 */
export async function withDeadline<Result>(
  work: (signal: AbortSignal, limit: TimeLimit) => Promise<Result>,
  timeout: number,
  signal: AbortSignal,
  late: (timeout: number) => TargetError = noReply(),
): Promise<Result> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const abort = () => stop.abort(signal.reason);
  const limit = new TimeLimit(timeout, () => {
    stop.abort(late(timeout));
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
