import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { historyOf, historyText } from '../../../../src/core/record/caseHistory.ts';
import { combineRepetitions } from '../../../../src/core/record/repetitions.ts';
import type { Status } from '../../../../src/core/verdict.ts';

const WORDS: Readonly<Record<string, Status>> = { p: 'pass', f: 'fail', e: 'error', s: 'skipped' };

/**
 * @param runs the newest run first, with one letter per repetition: `f p pf` @param pass fraction of repetitions that
 * must pass
 */
function told(runs: string, pass = 1): string | undefined {
  const repetition = (letter: string) => ({
    status: WORDS[letter] ?? assert.fail(letter),
    score: null,
    verdicts: [],
  });
  const found = historyOf(
    runs.split(' ').map((run) => combineRepetitions([...run].map(repetition), pass)),
  );
  return found && historyText(found);
}

describe('the history of a case', () => {
  it('distinguishes flaky from broken cases', () => {
    assert.equal(told('p p p'), 'Passed all of the last 3 runs.');
    assert.equal(told('f f'), 'Failed all of the last 2 runs: broken, not flaky.');
    assert.equal(told('f p p p'), 'Failed 1 of the last 4 runs, including the newest: broken.');
    assert.equal(told('f f f p p'), 'Failed 3 of the last 5 runs, including the newest 3: broken.');
    assert.equal(told('p p f f'), 'Failed 2 of the last 4 runs, and has passed since then: fixed.');
    assert.equal(told('f p f p p'), 'Failed 2 of the last 5 runs, on and off: flaky.');
    assert.equal(told('p p f p'), 'Failed 1 of the last 4 runs, on and off: flaky.');
  });

  it('is flaky if repetitions differ', () => {
    assert.equal(told('ppp pfp'), 'Failed 1 of the last 2 runs, on and off: flaky.');
    assert.equal(
      told('ppp pfp', 0.5),
      'Passed all of the last 2 runs, but not in every repetition: flaky.',
    );
    assert.equal(told('fff ppp'), 'Failed 1 of the last 2 runs, including the newest: broken.');
  });

  it("isn't flaky if it changed after edits", () => {
    const runs = (text: string) =>
      text.split(' ').map(([letter = '', source]) => {
        const status = WORDS[letter] ?? assert.fail(letter);
        return { status, passRate: status === 'pass' ? 1 : 0, source };
      });
    const kindOf = (text: string) => historyOf(runs(text))?.kind;
    assert.equal(kindOf('p1 f2 p1'), 'fixed');
    assert.equal(kindOf('f2 p1 f2 p1'), 'broken');
    assert.equal(kindOf('p2 f2 p1'), 'fixed', 'one change without an edit');
    assert.equal(kindOf('p1 f1 p1'), 'flaky');
    assert.equal(kindOf('p f p'), 'flaky', 'of older records');
  });

  it("ignores runs that couldn't judge the case, and needs two others", () => {
    assert.equal(told('e f e p'), 'Failed 1 of the last 2 runs, including the newest: broken.');
    assert.equal(told('f e s'), undefined);
  });

  it('includes only the last ten runs', () => {
    assert.equal(told(`${'p '.repeat(10)}f`), 'Passed all of the last 10 runs.');
    assert.equal(
      told(`f f p f ${'p '.repeat(8)}f`.trim()),
      'Failed 3 of the last 10 runs, on and off: flaky.',
    );
  });
});
