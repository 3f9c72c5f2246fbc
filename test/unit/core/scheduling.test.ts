import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { coalesce, Throttle } from '../../../src/core/scheduling.ts';
import { barrier } from '../../support/barrier.ts';

describe('coalesced calls', () => {
  it('share one more call after the current one', async () => {
    const { promise, resolve } = barrier();
    const done: string[] = [];
    let state = 'first';
    const tell = coalesce(async () => {
      const seen = state;
      if (seen === 'first') await promise;
      done.push(seen);
    });
    const first = tell();
    state = 'second';
    const later = [tell(), tell()];
    assert.deepEqual(done, []);
    resolve();
    await Promise.all([first, ...later]);
    assert.deepEqual(done, ['first', 'second']);
    state = 'third';
    await tell();
    assert.deepEqual(done, ['first', 'second', 'third']);
  });
});

describe('Throttle', () => {
  it('runs once per interval', (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const work = mock.fn();
    const throttle = new Throttle(100, work);
    throttle.schedule();
    context.mock.timers.tick(60);
    throttle.schedule();
    assert.equal(work.mock.callCount(), 0);
    context.mock.timers.tick(40);
    assert.equal(work.mock.callCount(), 1);
    context.mock.timers.tick(1_000);
    assert.equal(work.mock.callCount(), 1);
    throttle.schedule();
    context.mock.timers.tick(100);
    assert.equal(work.mock.callCount(), 2);
  });

  it("doesn't run after it was flushed or disposed", (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const work = mock.fn();
    const throttle = new Throttle(100, work);
    throttle.schedule();
    throttle.flush();
    context.mock.timers.tick(100);
    assert.equal(work.mock.callCount(), 1);
    throttle.schedule();
    throttle.dispose();
    context.mock.timers.tick(100);
    assert.equal(work.mock.callCount(), 1);
  });
});
