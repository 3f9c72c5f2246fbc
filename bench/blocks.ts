import { cpuTime } from '../src/node/cooperative.ts';

/** Milliseconds between two looks, if nothing stands in the way. */
const PERIOD = 5;

/**
 * Watches how long a thread's event loop does one thing. It counts the work of the thread and not the
 * clock: what the machine gives to other programs meanwhile is not our doing.
 *
 * @returns the longest since it was asked last, in milliseconds
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
