import { readable } from '../core/limits.ts';

/** Characters of one reply. Nobody says as much, and looking at more would hold everything up. */
const MAX_REPLY = 1_000_000;

/** Characters of all replies of a conversation. */
const MAX_REPLIES = 10_000_000;

/** Why a target's replies are no longer read; undefined if they are not too long. */
export function tooLong(reply: number, replies: number): string | undefined {
  if (reply > MAX_REPLY) return `The reply is longer than ${readable(MAX_REPLY)} characters.`;
  if (replies > MAX_REPLIES) {
    return `The replies of this conversation add up to more than ${readable(MAX_REPLIES)} characters.`;
  }
  return undefined;
}
