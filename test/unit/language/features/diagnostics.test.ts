import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Problem } from '../../../../src/core/problem.ts';
import { diagnosticsByFile } from '../../../../src/language/features/diagnostics.ts';

function problem(line: number): Problem {
  const start = { line, character: 0 };
  return {
    code: 'unknown-key',
    message: 'x',
    severity: 'error',
    path: '/a',
    range: { start, end: start },
  };
}

describe('the problems of a file', () => {
  it('carry the data of their fixes', () => {
    const fix = { remove: ['cases', 0] };
    const [shown] = diagnosticsByFile([{ ...problem(1), replacement: 'y', fix }]).get('/a') ?? [];
    assert.deepEqual(shown?.data, { replacement: 'y', fix });
  });
});
