import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EndLine } from '../../../../src/core/record/runRecord.ts';
import {
  addOutcome,
  EMPTY_COUNT,
  type RunCount,
  recordedCount,
  runStatusText,
  subtractCases,
} from '../../../../src/extension/testing/runStatusText.ts';
import { buildCaseLine } from '../../../support/buildRun.ts';

const NONE = { pass: 0, fail: 0, error: 0, skipped: 0 };

describe('the status bar', () => {
  for (const [what, total, ended, over, text] of [
    ['a run that begins', 5, NONE, false, '$(sync~spin) Evals 0 of 5'],
    [
      'a failure as soon as it is known',
      5,
      { ...NONE, pass: 1, fail: 1 },
      false,
      '$(sync~spin) Evals 2 of 5, 1 failed',
    ],
    ['that all passed', 2, { ...NONE, pass: 2 }, true, '$(pass) Evals 2 passed'],
    [
      'what went wrong first',
      5,
      { pass: 2, fail: 1, error: 1, skipped: 1 },
      true,
      '$(error) Evals 1 failed, 1 errored, 2 passed, 1 skipped',
    ],
    [
      'what was cancelled',
      3,
      { ...NONE, pass: 1 },
      true,
      '$(circle-slash) Evals 1 passed, 2 not run',
    ],
    ['a run of nothing', 0, NONE, true, '$(circle-slash) Evals not run'],
  ] as const) {
    it(`shows ${what}`, () => {
      const done = Object.values(ended).reduce((sum, count) => sum + count, 0);
      assert.equal(runStatusText({ total, done, ended, over }), text);
    });
  }

  it('shows the number of queued runs', () => {
    const going = { total: 5, done: 1, ended: { ...NONE, pass: 1 }, over: false };
    assert.equal(
      runStatusText({ ...going, waiting: 1 }),
      '$(sync~spin) Evals 1 of 5, 1 run waiting',
    );
    assert.equal(
      runStatusText({ ...going, waiting: 2 }),
      '$(sync~spin) Evals 1 of 5, 2 runs waiting',
    );
  });

  const lines = [
    buildCaseLine({ id: 'a', status: 'pass' }),
    buildCaseLine({ id: 'b', status: 'pass', repetition: 1, repetitions: 2 }),
    buildCaseLine({ id: 'b', status: 'fail', repetition: 2, repetitions: 2 }),
  ];
  const end: EndLine = {
    kind: 'end',
    finished: '2026-01-01T00:00:02.000Z',
    cancelled: false,
    counts: { ...NONE, pass: 1, fail: 1 },
  };

  it('counts a repeated case once', () => {
    assert.equal(runStatusText(recordedCount(lines, end)), '$(error) Evals 1 failed, 1 passed');
    const enough = lines.map((line) => ({ ...line, must_pass: 0.5 }));
    assert.equal(runStatusText(recordedCount(enough, end)), '$(pass) Evals 2 passed');
  });

  it('counts a run of this window like one of the command line', () => {
    let count: RunCount = { ...EMPTY_COUNT, total: 3 };
    for (const [index, line] of lines.entries()) {
      const known = lines.slice(0, index).filter(({ id }) => id === line.id);
      count = addOutcome(count, line, known);
    }
    assert.equal(runStatusText(count), '$(sync~spin) Evals 3 of 3, 1 failed');
    assert.equal(runStatusText({ ...count, over: true }), '$(error) Evals 1 failed, 1 passed');
  });

  it('leaves out removed conversations', () => {
    const left = subtractCases(recordedCount(lines, end), lines.slice(1));
    assert.equal(runStatusText(left), '$(pass) Evals 1 passed');
  });

  it('shows that a run of the command line ended early', () => {
    const passed = lines.slice(0, 2);
    for (const cut of [{ cancelled: true }, { stopped: 'max-cost' }] as const) {
      assert.equal(
        runStatusText(recordedCount(passed, { ...end, ...cut })),
        '$(circle-slash) Evals 2 passed, the rest not run',
      );
    }
  });
});
