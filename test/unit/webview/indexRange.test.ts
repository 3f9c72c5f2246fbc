import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rangeBetween } from '../../../webview/indexRange.ts';

describe('rangeBetween', () => {
  const heights = [100, 50, 200, 100, 100];
  const between = (from: number, to: number, beside = 0) => {
    const { first, end } = rangeBetween(heights, from, to, beside);
    return [first, end - 1];
  };

  it('includes the items that are partly between the heights', () => {
    assert.deepEqual(between(0, 100), [0, 0]);
    assert.deepEqual(between(100, 150), [1, 1]);
    assert.deepEqual(between(99, 151), [0, 2]);
    assert.deepEqual(between(340, 460), [2, 4]);
  });

  it('is the nearest item if all are above or below', () => {
    assert.deepEqual(between(-500, -100), [0, 0]);
    assert.deepEqual(between(900, 1000), [4, 4]);
  });

  it('includes more items on both sides, as far as there are any', () => {
    assert.deepEqual(between(100, 150, 1), [0, 2]);
    assert.deepEqual(between(0, 100, 9), [0, 4]);
  });

  it('is empty for no items', () => {
    assert.deepEqual(rangeBetween([], 0, 100, 5), { first: 0, end: 0 });
  });
});
