import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freeNames, isSmallJson, pushAll } from '../../../../src/core/data/data.ts';
import { assertWork } from '../../../support/work.ts';

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

describe('data whose JSON is small', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)]);

  for (const [name, value] of [
    ['text', 'x'],
    ['escaped text', '\u0000"\\é😀'.repeat(20)],
    ['numbers', [1e300, -1.2345678901234e-7, 0]],
    ['keys', { 'a"\u0001': null, b: undefined, c: true }],
    ['a list of mappings', Array.from({ length: 50 }, () => ({ a: [], b: {} }))],
  ] as const) {
    it(`is never more than the limit: ${name}`, () => {
      const bytes = Buffer.byteLength(JSON.stringify(value));
      assert.equal(isSmallJson(value, bytes - 1), false);
      assert.equal(isSmallJson(value, bytes * 40), true);
    });
  }

  it('is neither nested too deep nor made of too many values', () => {
    assert.equal(isSmallJson(nested(100), 1e6), true);
    assert.equal(isSmallJson(nested(1_000), 1e6), false);
    assert.equal(
      isSmallJson(
        Array.from({ length: 500_001 }, () => 1),
        1e9,
      ),
      false,
    );
  });

  it('is measured without a look at each character', async () => {
    const value = { texts: Array.from({ length: 1_000 }, () => 'x'.repeat(1_000_000)) };
    await assertWork(20, () => assert.equal(isSmallJson(value, 1e10), true));
  });
});

describe('adding items to a list', () => {
  it('works with more items than a call can have arguments', () => {
    const list = ['first'];
    pushAll(list, Array<string>(1_000_000).fill('more'));
    assert.equal(list.length, 1_000_001);
  });
});
