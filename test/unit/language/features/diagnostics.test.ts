import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Problem } from '../../../../src/core/problem.ts';
import { diagnosticsByFile } from '../../../../src/language/features/diagnostics.ts';

function problem(line: number, severity: Problem['severity'] = 'error', path = '/a'): Problem {
  const start = { line, character: 0 };
  return { code: 'unknown-key', message: 'x', severity, path, range: { start, end: start } };
}

const many = (count: number, path = '/a') =>
  Array.from({ length: count }, (_, line) => problem(line, 'error', path));

describe('the problems of a file', () => {
  it('are all shown where they are 200', () => {
    assert.equal(diagnosticsByFile(many(200)).get('/a')?.length, 200);
  });

  it('are cut at 200, and one more says how many there are', () => {
    const files = diagnosticsByFile([...many(1_201), ...many(3, '/b')]);
    const shown = files.get('/a') ?? [];
    assert.equal(shown.length, 201);
    assert.match(String(shown.at(-1)?.message), /1001 more problems/);
    assert.equal(shown.at(-1)?.code, 'more-problems');
    assert.equal(files.get('/b')?.length, 3);
  });

  it('are shown with errors before warnings where they are cut', () => {
    const warnings = Array.from({ length: 200 }, (_, line) => problem(line, 'warning'));
    const shown = diagnosticsByFile([...warnings, problem(900)]).get('/a') ?? [];
    assert.equal(shown[0]?.severity, 1);
  });

  it('carry what their fixes need', () => {
    const fix = { remove: ['cases', 0] };
    const [shown] = diagnosticsByFile([{ ...problem(1), replacement: 'y', fix }]).get('/a') ?? [];
    assert.deepEqual(shown?.data, { replacement: 'y', fix });
  });
});
