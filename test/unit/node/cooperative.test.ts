import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WorkLimitError } from '../../../src/core/errors.ts';
import {
  runCooperatively,
  runSync,
  type Step,
  stepsOf,
  type Work,
} from '../../../src/node/cooperative.ts';

/** Works for so many milliseconds. */
async function work(milliseconds: number, step: Step): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) await step();
}

describe('long work in steps', () => {
  it('hears between them that nobody waits for it any more', async () => {
    const unwanted = new AbortController();
    setImmediate(() => unwanted.abort());
    await assert.rejects(work(5_000, stepsOf(unwanted.signal)), /aborted/);
  });

  it('lets others have their turn, be it wanted by a signal or not', async (t) => {
    let turns = 0;
    const others = setInterval(() => {
      turns += 1;
    }, 1);
    t.after(() => clearInterval(others));
    await work(200, stepsOf());
    assert.ok(turns > 2);
  });

  it('ends once it worked longer than it may', async () => {
    await assert.rejects(work(5_000, stepsOf(undefined, 50)), WorkLimitError);
  });

  it('has no wait for the machine counted', async () => {
    const step = stepsOf(undefined, 100);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    await step();
  });

  it('has the turns of others not counted', async (t) => {
    const others = setInterval(() => {
      const end = performance.now() + 300;
      while (performance.now() < end);
    }, 1);
    t.after(() => clearInterval(others));
    // A busy machine takes its time for our own work, too, by the clock.
    const step = stepsOf(undefined, 1_000);
    for (let turn = 0; turn < 6; turn += 1) await work(12, step);
  });

  it('comes to the same result as at once', async () => {
    function* sum(): Work<number> {
      yield;
      return 1 + (yield* one());
    }
    function* one(): Work<number> {
      yield;
      return 1;
    }
    assert.equal(runSync(sum()), 2);
    assert.equal(await runCooperatively(sum(), stepsOf()), 2);
  });
});
