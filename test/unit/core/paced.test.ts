import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { Paced } from '../../../src/core/paced.ts';

describe('paced work', () => {
  it('is done once for all who ask meanwhile, and again for who asks later', (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const work = mock.fn();
    const paced = new Paced(100, work);
    paced.later();
    context.mock.timers.tick(60);
    paced.later();
    assert.equal(work.mock.callCount(), 0);
    context.mock.timers.tick(40);
    assert.equal(work.mock.callCount(), 1);
    context.mock.timers.tick(1_000);
    assert.equal(work.mock.callCount(), 1);
    paced.later();
    context.mock.timers.tick(100);
    assert.equal(work.mock.callCount(), 2);
  });

  it('done at once is not done again, and what is disposed of is not done', (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const work = mock.fn();
    const paced = new Paced(100, work);
    paced.later();
    paced.now();
    context.mock.timers.tick(100);
    assert.equal(work.mock.callCount(), 1);
    paced.later();
    paced.dispose();
    context.mock.timers.tick(100);
    assert.equal(work.mock.callCount(), 1);
  });
});
