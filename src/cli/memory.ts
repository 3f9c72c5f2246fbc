import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Maximum garbage before it is collected, in percent of the memory in use. Reading takes fifty times the size of the
 * files.
 */
const MAX_GARBAGE = { reading: 20, running: 35 };

/** Bytes. */
const MAX_YOUNG_SPACE = 16 * 2 ** 20;

/** Milliseconds. */
const CHECK_INTERVAL = 50;

/** Collects garbage early. On a large machine, V8 by default lets memory grow to several times what is in use. */
export function collectEarly(phase: keyof typeof MAX_GARBAGE): void {
  setFlagsFromString(`--heap-growing-percent=${MAX_GARBAGE[phase]}`);
}

/**
 * Stops V8's new space from growing beyond a useful size. V8 sizes it by the number of objects created, not the number
 * in use: with thousands of cases, it would take up a hundred megabytes without being any faster.
 */
export function limitYoungSpace(): void {
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find((one) => one.space_name === 'new_space');
    if (young && young.space_size < MAX_YOUNG_SPACE) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    clearInterval(timer);
  }, CHECK_INTERVAL);
  timer.unref();
}
