import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * How much garbage there may be before it is collected, in percent of the memory in use. Reading eval files takes fifty times
 * their size; a run should spend less time on collecting.
 */
const MAX_GARBAGE = { reading: 20, running: 50 };

/** Bytes. */
const MAX_YOUNG_SPACE = 16 * 2 ** 20;

/** Milliseconds. */
const CHECK_INTERVAL = 50;

/**
 * Keeps memory near what is in use, whatever the number of cases. By default V8 lets it grow to several times that on
 * a large machine.
 */
export function collectEarly(phase: keyof typeof MAX_GARBAGE): void {
  setFlagsFromString(`--heap-growing-percent=${MAX_GARBAGE[phase]}`);
}

/**
 * Keeps V8's new space from growing beyond what's useful. V8 grows it with the number of objects created,
 * not with the number in use: a run of thousands of cases would take a hundred megabytes for it, and be no faster.
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
