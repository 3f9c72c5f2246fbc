/** Milliseconds that a program gets to end by itself after its last reply: as long as its slowest one, within these. */
export const SHORTEST_GRACE = 250;
export const LONGEST_GRACE = 5_000;

/** Milliseconds that what was killed gets to be gone. */
export const KILL_GRACE = 2_000;
