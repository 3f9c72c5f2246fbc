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

/** Works for the given number of milliseconds. */
async function work(milliseconds: number, step: Step): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) await step();
}

describe('long work in steps', () => {
  it('stops between steps when aborted', async () => {
    const unwanted = new AbortController();
    setImmediate(() => unwanted.abort());
    await assert.rejects(work(5_000, stepsOf(unwanted.signal)), /aborted/);
  });

  it('yields to other tasks, with and without a signal', async (t) => {
    let turns = 0;
    const others = setInterval(() => {
      turns += 1;
    }, 1);
    t.after(() => clearInterval(others));
    await work(200, stepsOf());
    assert.ok(turns > 2);
  });

  it('ends if it takes longer than its limit', async () => {
    await assert.rejects(work(5_000, stepsOf(undefined, 50)), WorkLimitError);
  });

  it("doesn't count waiting for the machine", async () => {
    const step = stepsOf(undefined, 100);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    await step();
  });

  it("doesn't count other tasks", async (t) => {
    const others = setInterval(() => {
      const end = performance.now() + 300;
      while (performance.now() < end);
    }, 1);
    t.after(() => clearInterval(others));
    // On a busy machine, our own work takes more wall-clock time too.
    const step = stepsOf(undefined, 1_000);
    for (let turn = 0; turn < 6; turn += 1) await work(12, step);
  });

  it('has the same result as synchronous work', async () => {
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
