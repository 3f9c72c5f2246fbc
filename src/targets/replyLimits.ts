import { LIMITS, readable } from '../core/limits.ts';

/** Why a target's replies are no longer read; undefined if they are not too long. */
export function tooLong(reply: number, replies: number): string | undefined {
  if (reply > LIMITS.reply) return `The reply is longer than ${readable(LIMITS.reply)} characters.`;
  if (replies > LIMITS.replies) {
    return `The replies of this conversation add up to more than ${readable(LIMITS.replies)} characters.`;
  }
  return undefined;
}
