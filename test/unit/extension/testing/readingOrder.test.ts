import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readingOrder } from '../../../../src/extension/testing/readingOrder.ts';

it('eval files are read in the order of their paths, those that are open before all others', () => {
  const files = ['/b', '/d', '/a', '/c'].map((path) => ({ path }));
  const order = readingOrder(files, ({ path }) => path === '/d' || path === '/c');
  assert.deepEqual(
    order.map(({ path }) => path),
    ['/c', '/d', '/a', '/b'],
  );
});
