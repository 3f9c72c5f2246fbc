import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { Throttle } from '../../../src/core/throttle.ts';

describe('Throttle', () => {
  it('works once for all requests within the interval, and again for later ones', (context) => {
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

  it('does not work again after a flush, nor once disposed', (context) => {
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
