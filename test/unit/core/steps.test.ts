import assert from 'node:assert/strict';
import { it } from 'node:test';
import { stepsOf } from '../../../src/core/steps.ts';

it('long work in steps hears between them that nobody waits for it any more', async () => {
  const unwanted = new AbortController();
  setImmediate(() => unwanted.abort());
  const step = stepsOf(unwanted.signal);
  const work = async () => {
    const end = performance.now() + 5_000;
    while (performance.now() < end) await step();
  };
  await assert.rejects(work(), /aborted/);
});
