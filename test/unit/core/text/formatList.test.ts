import assert from 'node:assert/strict';
import test from 'node:test';
import { LIMITS, readable } from '../../../../src/core/limits.ts';
import { formatList } from '../../../../src/core/text/formatList.ts';

test('lists and numbers are written as English ones', () => {
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
