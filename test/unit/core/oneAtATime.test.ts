import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { oneAtATime } from '../../../src/core/oneAtATime.ts';
import { barrier } from '../../support/barrier.ts';

describe('work that is done one at a time', () => {
  it('is done once more for all who asked meanwhile, after what is under way', async () => {
    const { promise, resolve } = barrier();
    const done: string[] = [];
    let state = 'first';
    const tell = oneAtATime(async () => {
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
