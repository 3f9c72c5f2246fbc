import { describe, it, type TestContext } from 'node:test';
import { LONG_VARIABLE } from '../../scripts/testGroups.ts';

/** Whether tests run all variations (`npm run test:long`) or a sample of them (`npm test`). */
export const LONG = process.env[LONG_VARIABLE] !== undefined;

/** The number of variations to run: all of them, or a sample large enough to detect breakage. */
export function tries(all: number, sample: number): number {
  return LONG ? all : sample;
}

/** Like `it`, for a test that only `npm run test:long` runs. */
export function itLong(name: string, run: (t: TestContext) => Promise<void>): void {
  if (LONG) void it(name, run);
}

/** Like `describe`, for tests that only `npm run test:long` runs. */
export function describeLong(name: string, tests: () => void): void {
  if (LONG) describe(name, { timeout: 900_000 }, tests);
}
