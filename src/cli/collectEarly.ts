import { setFlagsFromString } from 'node:v8';

/**
 * How much garbage there may be before it is collected, in percent of what is in use: eval files that are read take fifty
 * times their size, and a run spends less time on collecting.
 */
const GARBAGE = { reading: 25, running: 50 };

/**
 * Keeps memory near to what is in use, however many cases there are. By itself V8 lets it grow to several
 * times that on a large machine.
 */
export function collectEarly(phase: keyof typeof GARBAGE): void {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE[phase]}`);
}
