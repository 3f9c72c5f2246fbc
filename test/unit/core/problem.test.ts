import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../../src/core/limits.ts';
import { limitProblems, type Problem } from '../../../src/core/problem.ts';

function problem(line: number, severity: Problem['severity']): Problem {
  const start = { line, character: 0 };
  return { code: 'unknown-key', message: 'x', severity, path: '/a', range: { start, end: start } };
}

describe('problems beyond the limit', () => {
  it('are dropped warnings first, then errors', () => {
    const warnings = Array.from({ length: LIMITS.problems }, (_, line) => problem(line, 'warning'));
    const error = problem(LIMITS.problems, 'error');
    const told = limitProblems([...warnings, error]);
    assert.equal(told.length, LIMITS.problems + 1);
    assert.ok(told.includes(error));
  });
});
