import assert from 'node:assert/strict';
import test, { describe, it } from 'node:test';
import { LIMITS, readable } from '../../../../src/core/limits.ts';
import { formatList, shareText } from '../../../../src/core/text/format.ts';

test('lists and numbers are formatted as in English', () => {
  const [and, or] = (['conjunction', 'disjunction'] as const).map(
    (type) => new Intl.ListFormat('en', { type }),
  );
  for (const items of [[], ['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'b', 'c', 'd']]) {
    assert.equal(formatList(items), and?.format(items));
    assert.equal(formatList(items, 'or'), or?.format(items));
  }
  for (const number of [0, 7, 999, 1_000, 20_500, 1_234_567, ...Object.values(LIMITS)]) {
    assert.equal(readable(number), number.toLocaleString('en-US'));
  }
});

describe('a share', () => {
  it('is rounded, and is 0% or 100% only if it is exact', () => {
    const texts = [2 / 3, 1 / 3, 199.5 / 200, 1, 1 / 300, 0].map(shareText);
    assert.deepEqual(texts, ['67%', '33%', '99%', '100%', '1%', '0%']);
  });
});
