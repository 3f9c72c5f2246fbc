import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stretchBetween } from '../../../webview/stretch.ts';

describe('the items of a list that stand between two heights', () => {
  const heights = [100, 50, 200, 100, 100];
  const between = (from: number, to: number, beside = 0) => {
    const { first, last } = stretchBetween(heights, from, to, beside);
    return [first, last];
  };

  it('are those of which anything is there', () => {
    assert.deepEqual(between(0, 100), [0, 0]);
    assert.deepEqual(between(100, 150), [1, 1]);
    assert.deepEqual(between(99, 151), [0, 2]);
    assert.deepEqual(between(340, 460), [2, 4]);
  });

  it('are the nearest where all are above or below', () => {
    assert.deepEqual(between(-500, -100), [0, 0]);
    assert.deepEqual(between(900, 1000), [4, 4]);
  });

  it('come with so many more on both sides as there are', () => {
    assert.deepEqual(between(100, 150, 1), [0, 2]);
    assert.deepEqual(between(0, 100, 9), [0, 4]);
  });

  it('are none of none', () => {
    assert.deepEqual(stretchBetween([], 0, 100, 5), { first: 0, last: -1 });
  });
});
