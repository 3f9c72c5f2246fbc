/** Milliseconds that a program gets to end by itself after its last reply: as long as its slowest one, within these. */
export const SHORTEST_FAREWELL = 250;
export const LONGEST_FAREWELL = 5_000;

/** Milliseconds that what was killed gets to be gone. */
export const LAST_MOMENT = 2_000;

/** Characters of one reply: a longer one is refused instead of read. */
export const MAX_REPLY = 16 * 1024 * 1024;

/** Characters of all replies of a conversation. */
export const MAX_REPLIES = 64 * 1024 * 1024;

/** Why a program's replies are no longer read; undefined if they are not too long. */
export function tooLong(reply: number, replies: number): string | undefined {
  if (reply > MAX_REPLY) return `The reply is longer than ${MAX_REPLY} characters.`;
  if (replies > MAX_REPLIES) {
    return `The replies of this conversation add up to more than ${MAX_REPLIES} characters.`;
  }
  return undefined;
}
