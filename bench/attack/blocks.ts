import { cpuUsage } from '../../src/assertions/shared/timeLimit.ts';

/** Milliseconds between two looks, if nothing stands in the way. */
const PERIOD = 5;

/**
 * Watches how long a thread's event loop does one thing. It counts the work of the thread and not the
 * clock: what the machine gives to other programs meanwhile is not our doing.
 *
 * @returns the longest so far, in milliseconds
 */
export function watchBlocks(): () => number {
  let before = cpuUsage();
  let longest = 0;
  const look = () => {
    const now = cpuUsage();
    longest = Math.max(longest, now.user + now.system - before.user - before.system);
    before = now;
  };
  setInterval(look, PERIOD).unref();
  return () => longest / 1000;
}
