import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { TimeLimit } from '../../../src/models/endpoint/timeLimit.ts';

it('a time limit that is longer than a timer can wait does not end at once', async () => {
  const ended: number[] = [];
  const limits = [3_000_000_000, Number.MAX_SAFE_INTEGER].map(
    (timeout) => new TimeLimit(timeout, () => ended.push(timeout)),
  );
  // Timers that overflow end after 1 ms, so they end first.
  await setTimeout(20);
  for (const limit of limits) limit.end();
  assert.deepEqual(ended, []);
});
