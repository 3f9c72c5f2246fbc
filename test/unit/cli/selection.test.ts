import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../../src/cli/exitCode.ts';
import { type SelectionOptions, selectCases } from '../../../src/cli/selection.ts';
import type { Suite } from '../../../src/core/suite.ts';
import { buildSuiteCase } from '../../support/buildRun.ts';

function suite(cases: Readonly<Record<string, readonly string[]>>): Suite {
  return {
    path: '/work/suite.eval.yaml',
    name: 'Suite',
    workspace: '/work',
    keyVariables: [],
    hash: '',
    cases: Object.entries(cases).map(([id, tags]) => ({
      ...buildSuiteCase(id, ['Hi'], ['Kind']),
      tags,
    })),
  };
}

const SUITE = suite({
  'order-status': ['orders'],
  'order-late': ['orders', 'slow'],
  refund: ['slow'],
});

function chosen(selection: SelectionOptions): string[] {
  const select = selectCases([SUITE], selection);
  return SUITE.cases.filter((one) => select(SUITE, one)).map(({ id }) => id);
}

test('selects every case without ids and tags', () => {
  assert.deepEqual(chosen({}), ['order-status', 'order-late', 'refund']);
});

test('selects cases by ids, with * for any text, and by tags', () => {
  assert.deepEqual(chosen({ case: ['*d*r*s*us', 'o*late'] }), ['order-status', 'order-late']);
  assert.deepEqual(chosen({ case: ['refund', 'order-status'] }), ['order-status', 'refund']);
  assert.deepEqual(chosen({ case: ['order-*'] }), ['order-status', 'order-late']);
  assert.deepEqual(chosen({ tag: ['slow'] }), ['order-late', 'refund']);
  assert.deepEqual(chosen({ case: ['order-*'], tag: ['slow'] }), ['order-late']);
});

for (const [name, selection, words] of [
  ['a name that no case has', { case: ['refnd'] }, /"refnd".*order-status, order-late, refund/],
  ['a name with a literal dot', { case: ['refun.'] }, /"refun\."/],
  ['a tag that no case has', { tag: ['x'] }, /No case has the tag "x"\. .*orders, slow/],
  ['a tag that no named case has', { case: ['refund'], tag: ['orders'] }, /None of the named/],
] as const) {
  test(`${name} is an error that lists the known names`, () => {
    assert.throws(
      () => chosen(selection),
      (error) => error instanceof UsageError && words.test(error.message),
    );
  });
}

test('a limit selects the first cases across all files', () => {
  assert.deepEqual(chosen({ tag: ['slow'], limit: 1 }), ['order-late']);
  assert.deepEqual(chosen({ limit: 5 }), ['order-status', 'order-late', 'refund']);
  const other = { ...suite({ last: [] }), path: '/work/other.eval.yaml' };
  const select = selectCases([SUITE, other], { limit: 3 });
  assert.equal(
    other.cases.some((one) => select(other, one)),
    false,
  );
});

test('a limit takes the first of those that say `only`, where some do', () => {
  const cases = SUITE.cases.map((one) => ({ ...one, only: one.id === 'refund' }));
  const select = selectCases([{ ...SUITE, cases }], { limit: 1 });
  assert.deepEqual(
    cases.filter((one) => select(SUITE, one)).map(({ id }) => id),
    ['refund'],
  );
});

test('files without a case are an error', () => {
  assert.throws(() => selectCases([suite({})], {}), /no cases to run/);
});

test('an id matches all variants of its case, and each variant has its own name', () => {
  const [one] = SUITE.cases;
  const variants = ['line-1', 'line-2', 'deep/line-1'].map((variant) => ({ ...one, variant }));
  const several = { ...SUITE, cases: [...SUITE.cases.slice(1), ...variants] } as Suite;
  const names = (...cases: string[]) => {
    const select = selectCases([several], { case: cases });
    return several.cases.filter((found) => select(several, found)).map(({ variant }) => variant);
  };
  assert.deepEqual(names('order-status'), ['line-1', 'line-2', 'deep/line-1']);
  assert.deepEqual(names('order-status/line-2'), ['line-2']);
  assert.deepEqual(names('*/line-1'), ['line-1', 'deep/line-1']);
  assert.throws(
    () => names('order-status/line-3'),
    /No case matches "order-status\/line-3"\. Known cases: order-status\/line-1, order-status\/line-2/,
  );
});
