import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Bytes. */
const ENOUGH = 16 * 2 ** 20;

/** Milliseconds. */
const LOOK = 50;

/**
 * Keeps the space of new objects from growing beyond what is of use. V8 lets it grow the more is made in all, not the
 * more is held: a run of thousands of cases would take a hundred megabytes for it, and be no faster.
 */
export function boundYoungSpace(): void {
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find((one) => one.space_name === 'new_space');
    if (young && young.space_size < ENOUGH) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    clearInterval(timer);
  }, LOOK);
  timer.unref();
}
