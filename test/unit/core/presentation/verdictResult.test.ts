import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  repeatedText,
  verdictResultOf,
  verdictResultText,
} from '../../../../src/core/presentation/verdictResult.ts';

describe('the spread of scores', () => {
  it('shows passed repetitions, and the lowest and highest score', () => {
    const lines = (
      [
        ['pass', 1],
        ['fail', 0.4],
        ['error', null],
      ] as const
    ).map(([status, score]) => ({ status, score }));
    assert.equal(repeatedText(lines), '1 of 3 repetitions passed, scores 0.40 to 1.00');
    assert.equal(
      repeatedText([lines[0], lines[0]].flatMap((one) => one ?? [])),
      '2 of 2 repetitions passed',
    );
    assert.equal(repeatedText(lines.slice(0, 1)), undefined);
    assert.equal(repeatedText(lines.slice(2).concat(lines.slice(2))), '0 of 2 repetitions passed');
  });

  it('shows how much samples differ, if they do', () => {
    const verdict = { status: 'pass', score: 0.8, threshold: 0.5 } as const;
    const told = (spread: number | null) =>
      verdictResultText(verdictResultOf({ ...verdict, judge: { spread } }));
    assert.equal(told(0.4), '0.80 ↕0.40');
    assert.equal(told(0), '0.80');
    assert.equal(told(null), '0.80');
  });

  it('distinguishes a numeric label from scores', () => {
    const verdict = { status: 'pass', score: 0.75, threshold: 0.5 } as const;
    const repeated = { passed: 2, finished: 3, range: [0.5, 1] } as const;
    assert.equal(verdictResultText({ ...verdict, label: 'polite' }), '0.75 polite');
    assert.equal(verdictResultText({ ...verdict, label: '4' }), '0.75 · 4');
    assert.equal(
      verdictResultText({ ...verdict, label: '4', repeated }),
      '2/3 0.75 (0.50–1.00) · 4',
    );
  });
});
