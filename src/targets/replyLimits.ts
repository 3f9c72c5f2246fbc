import { LIMITS, readable } from '../core/limits.ts';
import { TargetError } from './target.ts';

/** Why a reply is too long; undefined if it isn't too long. */
export function tooLongText(reply: number, replies: number): string | undefined {
  if (reply > LIMITS.reply) return `The reply is longer than ${readable(LIMITS.reply)} characters.`;
  if (replies > LIMITS.replies) {
    return `The replies of this conversation add up to more than ${readable(LIMITS.replies)} characters.`;
  }
  return undefined;
}

/**
 * @param replies total length of the conversation's replies
 * @throws TargetError if the reply, or all replies together, are too long
 */
export function checkLength(reply: number, replies = 0): void {
  const why = tooLongText(reply, replies);
  if (why !== undefined) throw new TargetError('target-too-much-output', why);
}

/** @throws TargetError if an answer has too many events */
export function checkEvents(events: number): void {
  if (events <= LIMITS.events) return;
  const message = `The answer has more than ${readable(LIMITS.events)} events.`;
  throw new TargetError('target-too-much-output', message);
}

/**
 * @param who how the error message refers to the program
 * @param tail returns the program's last output, with a space before it
 */
export function replyTimeoutError(who = 'The target', tail = () => '') {
  return (timeout: number) => {
    const message = `${who} did not reply within ${timeout} ms. Raise its \`timeout\` if it needs longer.${tail()}`;
    return new TargetError('target-timeout', message);
  };
}

export function notReadyError(timeout: number): TargetError {
  const message = `The program was not ready within ${timeout} ms. With \`ready: true\`, it must print {"ready":true} once it can reply. Raise its \`timeout\` if it needs longer.`;
  return new TargetError('target-not-ready', message);
}

export function notLoadedError(timeout: number): TargetError {
  const message = `The module did not load within ${timeout} ms. Raise its \`timeout\` if it needs longer.`;
  return new TargetError('target-not-ready', message);
}
