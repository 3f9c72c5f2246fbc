import { describe, it, type TestContext } from 'node:test';
import { LONG_VARIABLE } from '../../scripts/testGroups.ts';

/** Whether all is tried (`npm run test:long`), or a sample of it (`npm test`). */
export const LONG = process.env[LONG_VARIABLE] !== undefined;

/** How many are tried: all of them, or so many as tell that something broke. */
export function tries(all: number, sample: number): number {
  return LONG ? all : sample;
}

/** As `it`, of a test that only `npm run test:long` runs. */
export function itLong(name: string, run: (t: TestContext) => Promise<void>): void {
  if (LONG) void it(name, run);
}

/** Like `describe`, for tests that only `npm run test:long` runs. */
export function describeLong(name: string, tests: () => void): void {
  if (LONG) describe(name, { timeout: 900_000 }, tests);
}
