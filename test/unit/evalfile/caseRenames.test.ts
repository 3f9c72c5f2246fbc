import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CaseRenames } from '../../../src/evalfile/caseRenames.ts';
import type { OutlineCase } from '../../../src/evalfile/loadedSuite.ts';

const PATH = '/evals/a.eval.yaml';

/** A suite whose cases have the given ids and hashes. */
function suiteOf(...cases: readonly (readonly [id: string, hash: string])[]) {
  const outline = cases.map(([id, hash]) => ({ id, hash }) as OutlineCase);
  return { path: PATH, outline };
}

/** Announces each rename, which also changes the case's hash, and then shows the suite with the new id. */
function renamesOf(...steps: readonly (readonly [from: string, to: string])[]) {
  const renames = new CaseRenames();
  const named = (found: ReturnType<CaseRenames['seen']>) =>
    found.map(({ from, to, hash }) => `${from} (${hash.from}) → ${to} (${hash.to})`);
  const expect = (from: string, to: string) =>
    renames.expect([{ suite: PATH, from, to, hash: { from: `#${from}`, to: `#${to}` } }]);
  const see = (...ids: readonly string[]) =>
    named(renames.seen(suiteOf(...ids.map((id) => [id, `#${id}`] as const))));
  for (const [from, to] of steps) {
    expect(from, to);
    see(to);
  }
  return { renames, expect, see, named };
}

describe('renamed cases', () => {
  it('get the new id once, when it is in their file', () => {
    const { expect, see } = renamesOf();
    expect('a', 'b');
    assert.deepEqual(see('a', 'other'), []);
    assert.deepEqual(see('b', 'other'), ['a (#a) → b (#b)']);
    assert.deepEqual(see('b', 'other'), []);
  });

  it('follow undo and redo', () => {
    const { see } = renamesOf(['a', 'b']);
    assert.deepEqual(see('a'), ['b (#b) → a (#a)']);
    assert.deepEqual(see('b'), ['a (#a) → b (#b)']);
  });

  it('follow undo of several renames, one by one or together', () => {
    const { see } = renamesOf(['a', 'b'], ['b', 'c']);
    assert.deepEqual(see('b'), ['c (#c) → b (#b)']);
    assert.deepEqual(see('c'), ['b (#b) → c (#c)']);
    assert.deepEqual(see('a'), ['c (#c) → a (#a)']);
  });

  it('stay if another case with the old id is added', () => {
    const { see } = renamesOf(['a', 'b']);
    assert.deepEqual(see('b', 'a'), []);
  });

  it('stay if another text has the old id', () => {
    const { renames, named } = renamesOf(['a', 'b']);
    assert.deepEqual(named(renames.seen(suiteOf(['a', 'another text']))), []);
  });

  it('stay if another file has the old id', () => {
    const { renames, named } = renamesOf(['a', 'b']);
    const elsewhere = { ...suiteOf(['a', '#a']), path: '/evals/b.eval.yaml' };
    assert.deepEqual(named(renames.seen(elsewhere)), []);
  });
});
