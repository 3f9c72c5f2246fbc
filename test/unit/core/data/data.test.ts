import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freeNames } from '../../../../src/core/data/data.ts';

describe('unused names', () => {
  it('are returned once each, and skip taken ones', () => {
    const free = freeNames(new Set(['a', 'a-3']), (name, number) => `${name}-${number}`);
    assert.deepEqual([free('a'), free('a'), free('b')], ['a-2', 'a-4', 'b-2']);
  });

  it('are found in constant time each', () => {
    let steps = 0;
    const free = freeNames(new Set(['a']), (name, number) => {
      steps += 1;
      return `${name}-${number}`;
    });
    for (let count = 0; count < 10_000; count += 1) free('a');
    assert.ok(steps <= 3 * 10_000);
  });
});
