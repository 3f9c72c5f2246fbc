import assert from 'node:assert/strict';
import { it } from 'node:test';
import { failingCases } from '../../../src/core/failingCases.ts';
import type { Status } from '../../../src/core/verdict.ts';

const ended = (['pass', 'fail', 'pass', 'error', 'skipped'] as Status[]).map((status, index) => ({
  ...{ suite: '/a.eval.yaml', id: `c${index}`, repetition: 1 },
  status,
}));

const from = (index: number) => {
  const shown = ended[index];
  assert.ok(shown);
  return failingCases(ended, shown);
};

it('stepping through failed cases wraps around', () => {
  assert.deepEqual([from(1)?.count, from(1)?.at, from(3)?.at], [2, 1, 2]);
  assert.equal(from(1)?.neighbor(1).id, 'c3');
  assert.equal(from(3)?.neighbor(1).id, 'c1');
  assert.equal(from(1)?.neighbor(-1).id, 'c3');
});

it('stepping from a passed case leads to the next or previous failed one', () => {
  assert.equal(from(2)?.at, undefined);
  assert.equal(from(2)?.neighbor(1).id, 'c3');
  assert.equal(from(2)?.neighbor(-1).id, 'c1');
  assert.equal(from(0)?.neighbor(-1).id, 'c3');
  assert.equal(from(4)?.neighbor(1).id, 'c1');
});

it('there is nothing to step through if no other case failed', () => {
  const [passed, failed] = ended;
  assert.ok(passed && failed);
  assert.equal(failingCases([passed], passed), undefined);
  assert.equal(failingCases([passed, failed], failed), undefined);
  assert.equal(failingCases([passed, failed], passed)?.count, 1);
});
