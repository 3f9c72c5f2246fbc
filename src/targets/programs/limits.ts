/** Milliseconds that a program gets to end by itself after its last reply: as long as its slowest one, within these. */
export const SHORTEST_FAREWELL = 250;
export const LONGEST_FAREWELL = 5_000;

/** Milliseconds that what was killed gets to be gone. */
export const LAST_MOMENT = 2_000;
