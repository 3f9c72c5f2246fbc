import { cpuTime } from '../src/node/cooperative.ts';

/** Milliseconds between checks, if nothing blocks the event loop. */
const PERIOD = 5;

/**
 * Measures how long a thread's event loop is blocked. It counts the thread's CPU time instead of wall-clock time, so
 * other programs on the machine don't affect it.
 *
 * @returns a function that returns the longest block since its last call, in milliseconds
 */
export function watchBlocks(): () => number {
  let before = cpuTime();
  let longest = 0;
  const look = () => {
    const now = cpuTime();
    longest = Math.max(longest, now - before);
    before = now;
  };
  setInterval(look, PERIOD).unref();
  return () => {
    look();
    const found = longest;
    longest = 0;
    return found;
  };
}
